"""Graphs in the format of the golden corpus (tests/golden/README.md): one line a graph, nodes before their users."""

from .foreign import dtype_name
from .names import OP
from .notation import NoNotation, dumps, encode
from .problem import OtherVersion, Problem

# Settings that change what the scheduler does, with their defaults.
_FLAGS = {"SPLIT_REDUCEOP": 1, "PCONTIG": 0, "FLOAT16": 0, "OPENPILOT_HACKS": 0, "MAX_KERNEL_BUFFERS": 0}


def graph_line(sink, name, flags):
  """The graph under `sink` as a line of JSON."""
  index, rows = {}, []
  for u in _sources_first(sink):
    if u.op.name not in OP:
      raise OtherVersion(f"op {u.op.name} is not known")
    try:
      arg, tag = encode(u.arg), encode(u.tag)
    except NoNotation as e:
      raise Problem(f"an argument of {u.op.name} is a {e}, which the format has no notation for") from e
    index[id(u)] = len(rows)
    rows.append([u.op.name, dtype_name(u.dtype), [index[id(s)] for s in u.src], arg, tag])
  line = {"name": name, "flags": flags, "nodes": rows, "root": index[id(sink)], "counts": {"input_nodes": len(rows)}}
  return dumps(line)


def _sources_first(root):
  """Each node once, in the order of tinygrad's own walk: sources from first to last, then their user."""
  seen, stack = set(), [(root, False)]
  while stack:
    u, visited = stack.pop()
    if id(u) in seen:
      continue
    if visited:
      seen.add(id(u))
      yield u
      continue
    stack.append((u, True))
    stack.extend((s, False) for s in reversed(u.src) if id(s) not in seen)


def flags_now():
  """The settings that differ from their defaults, as the scheduler sees them."""
  from tinygrad import helpers
  flags = {}
  for name, default in _FLAGS.items():
    variable = getattr(helpers, name, None)
    if variable is not None and int(variable.value) != default:
      flags[name] = int(variable.value)
  return flags


class GraphFile:
  """Each graph is written as it comes, so that none is lost with the script."""

  def __init__(self, path, name):
    self.path, self._name, self.count = path, name, 0

  def __enter__(self):
    try:
      self._file = open(self.path, "w", encoding="utf-8")
    except OSError as e:
      raise Problem(f"cannot write {self.path}: {e.strerror}") from e
    return self

  def __exit__(self, *_):
    try:
      self._file.close()
    except OSError as e:
      raise Problem(f"cannot write {self.path}: {e.strerror}. It holds the first {self.count} graphs.") from e

  def add(self, sink):
    line = graph_line(sink, self._name, flags_now())
    try:
      self._file.write(line + "\n")
      self._file.flush()
    except OSError as e:
      raise Problem(f"cannot write {self.path}: {e.strerror}. It holds the first {self.count} graphs.") from e
    self.count += 1
