"""Writes a trace file (resources/docs/trace-format.md), in batches, each a transaction: what was written opens whatever happens next."""

import os
import pathlib
import sqlite3

from .names import DTYPES, OPS
from .problem import Problem

APPLICATION_ID, VERSION = 0x52534350, 2
NODES_A_BLOCK = 256
_BATCH = 16384
_ROWS_A_BLOCK = 32  # what a block weighs in a batch

# The statements that make the tables, and those for the end; the engine is built with the same file.
_SCHEMA = pathlib.Path(__file__).resolve().parents[3] / "resources" / "docs" / "trace-schema.sql"
_SIDECARS = ("-wal", "-shm", "-journal")


def _is_trace(path):
  try:
    with open(path, "rb") as f:
      head = f.read(100)
  except OSError as e:
    raise Problem(f"cannot open {path}: {e.strerror}") from e
  return head[:15] == b"SQLite format 3" and int.from_bytes(head[68:72], "big") == APPLICATION_ID


def _schema():
  try:
    tables, create, indexes = _SCHEMA.read_text(encoding="utf-8").partition("CREATE INDEX")
  except OSError as e:
    raise Problem(f"cannot read {_SCHEMA}: {e.strerror}. This package stands in a checkout of Rangescope") from e
  return tables, create + indexes


def _remove(path):
  for suffix in ("", *_SIDECARS):
    try:
      os.remove(path + suffix)
    except FileNotFoundError:
      pass


def check_output(path):
  """That a trace can be written there, before long work for it."""
  path = str(path)
  folder = os.path.dirname(os.path.abspath(path))
  if os.path.isdir(path):
    raise Problem(f"{path} is a folder. Name a file to write the trace to.")
  if not os.path.isdir(folder):
    raise Problem(f"cannot write {path}: there is no folder {folder}")
  if not os.access(folder, os.W_OK):
    raise Problem(f"cannot write {path}: the folder {folder} may not be written to")
  if os.path.exists(path) and not os.path.isfile(path):
    raise Problem(f"{path} is a device or a pipe. A trace needs a file, which is written in any order.")
  if os.path.exists(path) and os.path.getsize(path) and not _is_trace(path):
    raise Problem(f"{path} exists and is not a trace of Rangescope. It is left as it is; name another file.")


class TraceFile:
  """Rows go in through `add`; `close` makes the trace complete. A trace of the same name stays as PATH.old until then."""

  def __init__(self, path):
    self.path = path = str(path)
    self._old = None
    tables, self._indexes = _schema()
    check_output(path)
    if os.path.exists(path) and os.path.getsize(path):
      old = path + ".old"
      if os.path.exists(old) and os.path.getsize(old) and not _is_trace(old):
        raise Problem(f"{old} is in the way. Remove it, or name another file.")
      _remove(old)
      self._guard(os.rename, path, old)
      for suffix in ("-wal", "-journal"):
        if os.path.exists(path + suffix):
          os.rename(path + suffix, old + suffix)
      self._old = old
    _remove(path)
    self._rows, self._waiting = {}, 0
    self.flush_when_full = True
    self.db = None
    try:
      self.db = self._guard(sqlite3.connect, path, isolation_level=None)
      for sql in (f"PRAGMA application_id={APPLICATION_ID}", f"PRAGMA user_version={VERSION}", "PRAGMA page_size=8192",
                  "PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL"):
        self._guard(self.db.execute, sql)
      self._guard(self.db.executescript, f"BEGIN;{tables}INSERT INTO meta VALUES('status','recording');COMMIT;")
    except Problem:
      if self.db is not None:
        self.db.close()
      _remove(path)
      if self._old:
        os.rename(self._old, path)
      raise

  def _guard(self, do, *arguments, **named):
    try:
      return do(*arguments, **named)
    except (sqlite3.Error, OSError) as e:
      kept = f" The trace that was there before is {self._old} now." if self._old else ""
      raise Problem(f"cannot write {self.path}: {e}.{kept}") from e

  def add(self, table, row):
    """`row` has all columns of the table."""
    rows = self._rows.get(table)
    if rows is None:
      rows = self._rows[table] = []
    rows.append(row)
    self._waiting += _ROWS_A_BLOCK if table == "node_blocks" else 1
    if self.full and self.flush_when_full:
      self.flush()

  @property
  def full(self):
    return self._waiting >= _BATCH

  def flush(self):
    rows, self._rows, self._waiting = self._rows, {}, 0
    if not rows:
      return

    def write():
      self.db.execute("BEGIN")
      for table, some in rows.items():
        self.db.executemany(f"INSERT OR REPLACE INTO {table} VALUES({','.join('?' * len(some[0]))})", some)
      self.db.execute("COMMIT")
    self._guard(write)

  def create(self, sql):
    """A table beside those of the format."""
    self.flush()
    self._guard(self.db.execute, sql)

  def meta(self, key, value):
    self.add("meta", (key, str(value)))

  def close(self):
    self.flush()
    for sql in (self._indexes, "INSERT OR REPLACE INTO meta VALUES('status','complete')", "PRAGMA wal_checkpoint(TRUNCATE)",
                "PRAGMA journal_mode=DELETE"):
      self._guard(self.db.execute, sql)
    self.db.close()
    self.db = None
    if self._old:
      _remove(self._old)

  def abandon(self):
    """Leaves what was committed: a trace that was not closed."""
    if self.db is not None:
      try:
        self.db.close()
      except sqlite3.Error:
        pass
      self.db = None


def _varints():
  table = []
  for v in range(1 << 14):
    table.append(bytes((v,)) if v < 128 else bytes((v & 127 | 128, v >> 7)))
  return table


_SMALL = _varints()


def varint(v):
  if v < 16384:
    return _SMALL[v]
  out = bytearray()
  while v >= 128:
    out.append(v & 127 | 128)
    v >>= 7
  out.append(v)
  return bytes(out)


def write_nodes(trace, nodes, made_by, first, last, progress=None):
  """Nodes first..last of the table, in blocks."""
  small, start, srcs = _SMALL, nodes.start, nodes.srcs
  op, dtype, arg, tag = nodes.op, nodes.dtype, nodes.arg, nodes.tag
  for block in range(first, last + 1, NODES_A_BLOCK):
    end = min(block + NODES_A_BLOCK, last + 1)
    out, before = [], 0
    for n in range(block, end):
      a, b = start[n], start[n + 1]
      out.append(bytes((op[n], dtype[n])))
      out.append(varint(b - a))
      for s in srcs[a:b]:
        d = n - s
        out.append(small[d] if d < 16384 else varint(d))
      out.append(varint(arg[n]))
      out.append(varint(tag[n]))
      maker = made_by[n] if n < len(made_by) else 0
      d = maker - before
      before = maker
      out.append(varint(d << 1 if d >= 0 else (-d << 1) - 1))
    trace.add("node_blocks", (block, end - block, b"".join(out)))
    if progress:
      progress("writing nodes", end, last)


assert len(OPS) <= 128 and len(DTYPES) <= 128  # one byte each
