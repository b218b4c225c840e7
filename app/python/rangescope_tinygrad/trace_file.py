"""Writes a trace file (resources/docs/trace-format.md), in batches, each a transaction: what was written opens whatever happens next."""

import os
import sqlite3

from .names import DTYPES, OPS
from .problem import Problem

APPLICATION_ID, VERSION = 0x52534350, 2
NODES_A_BLOCK = 256
_BATCH = 16384

# As in engine/trace/schema.cpp; a test compares the two.
TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE sections(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, root INTEGER);
CREATE TABLE rules(id INTEGER PRIMARY KEY, name TEXT NOT NULL, explanation TEXT, ref TEXT, pattern TEXT, source TEXT);
CREATE TABLE args(id INTEGER PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE node_blocks(first INTEGER PRIMARY KEY, count INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE node_metadata(node INTEGER PRIMARY KEY, name TEXT, location TEXT);
CREATE TABLE passes(id INTEGER PRIMARY KEY, section INTEGER NOT NULL, parent INTEGER, depth INTEGER NOT NULL, name TEXT NOT NULL,
  bottom_up INTEGER NOT NULL, walk INTEGER NOT NULL, enter_calls INTEGER NOT NULL, is_group INTEGER NOT NULL,
  input INTEGER, output INTEGER, matches INTEGER, ns INTEGER);
CREATE TABLE matches(id INTEGER PRIMARY KEY, pass INTEGER NOT NULL, before INTEGER NOT NULL, after INTEGER, rule INTEGER NOT NULL,
  ns INTEGER NOT NULL);
CREATE TABLE errors(id INTEGER PRIMARY KEY, pass INTEGER, match INTEGER, message TEXT NOT NULL);
CREATE TABLE kernels(id INTEGER PRIMARY KEY, ast INTEGER, section INTEGER, name TEXT NOT NULL, sink INTEGER, linear TEXT, source TEXT,
  spirv BLOB, disassembly TEXT, global_size TEXT, local_size TEXT, ops INTEGER, bytes INTEGER);
CREATE TABLE buffers(id INTEGER PRIMARY KEY, node INTEGER, name TEXT, dtype TEXT, count INTEGER, bytes INTEGER);
CREATE TABLE schedule(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, ast INTEGER, kernel INTEGER, buffers TEXT);
CREATE TABLE runs(id INTEGER PRIMARY KEY, device TEXT NOT NULL, driver TEXT, timestamp_period_ns REAL, warm_ups INTEGER, repeats INTEGER,
  submit_ns INTEGER, wait_ns INTEGER);
CREATE TABLE compiles(run INTEGER NOT NULL, kernel INTEGER NOT NULL, codegen_ns INTEGER, glsl_ns INTEGER, pipeline_ns INTEGER,
  first_dispatch_ns INTEGER, PRIMARY KEY(run, kernel)) WITHOUT ROWID;
CREATE TABLE launches(item INTEGER NOT NULL, part INTEGER NOT NULL, kernel INTEGER, ops INTEGER, bytes INTEGER, access_bytes INTEGER,
  PRIMARY KEY(item, part)) WITHOUT ROWID;
CREATE TABLE dispatches(run INTEGER NOT NULL, item INTEGER NOT NULL, part INTEGER NOT NULL, repeat INTEGER NOT NULL, warm_up INTEGER NOT NULL,
  start_ns INTEGER, ns INTEGER NOT NULL, PRIMARY KEY(run, item, part, warm_up, repeat)) WITHOUT ROWID;
CREATE VIEW rule_statistics AS
  SELECT r.id, r.name, count(m.id) AS hits, coalesce(sum(m.ns), 0) AS ns FROM rules r LEFT JOIN matches m ON m.rule = r.id AND m.after IS NOT NULL
  GROUP BY r.id;
CREATE VIEW dispatch_times AS
  WITH ranked AS (SELECT run, item, part, ns, row_number() OVER (PARTITION BY run, item, part ORDER BY ns) AS i,
      count(*) OVER (PARTITION BY run, item, part) AS n FROM dispatches WHERE warm_up = 0)
  SELECT run, item, part, n, min(ns) AS min_ns, max(CASE WHEN i = (n * 50 + 99) / 100 THEN ns END) AS median_ns,
    max(CASE WHEN i = (n * 95 + 99) / 100 THEN ns END) AS p95_ns,
    max(CASE WHEN i = (n * 75 + 99) / 100 THEN ns END) - max(CASE WHEN i = (n * 25 + 99) / 100 THEN ns END) AS spread_ns, max(ns) AS max_ns
  FROM ranked GROUP BY run, item, part;
CREATE VIEW kernel_times AS
  SELECT d.run, l.kernel, k.name, count(*) AS n, min(d.ns) AS min_ns, avg(d.ns) AS mean_ns, max(d.ns) AS max_ns
  FROM dispatches d JOIN launches l ON l.item = d.item AND l.part = d.part JOIN kernels k ON k.id = l.kernel WHERE d.warm_up = 0
  GROUP BY d.run, l.kernel;
"""
INDEXES = "CREATE INDEX IF NOT EXISTS matches_by_pass ON matches(pass, id);"
_SIDECARS = ("-wal", "-shm", "-journal")


def _is_trace(path):
  try:
    with open(path, "rb") as f:
      head = f.read(100)
  except OSError as e:
    raise Problem(f"cannot open {path}: {e.strerror}") from e
  return head[:15] == b"SQLite format 3" and int.from_bytes(head[68:72], "big") == APPLICATION_ID


def _remove(path):
  for suffix in ("", *_SIDECARS):
    try:
      os.remove(path + suffix)
    except FileNotFoundError:
      pass


class TraceFile:
  """Rows go in through `add`; `close` makes the trace complete. A trace of the same name stays as PATH.old until then."""

  def __init__(self, path):
    self.path = path = str(path)
    self._old = None
    if os.path.isdir(path):
      raise Problem(f"{path} is a folder. Name a file to write the trace to.")
    if os.path.exists(path) and os.path.getsize(path):
      if not _is_trace(path):
        raise Problem(f"{path} exists and is not a trace of Rangescope. It is left as it is; name another file.")
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
      self._guard(self.db.executescript, f"BEGIN;{TABLES}INSERT INTO meta VALUES('status','recording');COMMIT;")
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
    self._waiting += 1
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
    for sql in (INDEXES, "INSERT OR REPLACE INTO meta VALUES('status','complete')", "PRAGMA wal_checkpoint(TRUNCATE)",
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
