"""What tinygrad tracks: groups of passes, each pass with its matches, and a table of nodes by trace number. From a pickle
(rewrites.pkl, which VIZ=1 makes) or from the module tinygrad.uop.ops while it is loaded."""

import mmap
import os
from array import array

from .names import OP, OPS
from .nodes import Nodes
from .pickle_stream import CutShort, read_pickle
from .problem import OtherVersion, Problem

PASS_FIELDS = "loc sink matches name depth bottom_up walk enter_calls".split()  # of a TrackedGraphRewrite
_ERROR, _PROGRAM = OP["REWRITE_ERROR"], OP["PROGRAM"]
# Newer Pythons write the number of an op, which says nothing about the op in another version. These have as many sources in all of them.
_OPERANDS = {OP[name]: n for n, names in enumerate(("", "EXP2 LOG2 SIN SQRT RECIPROCAL NEG TRUNC CAST BITCAST",
                                                    "ADD MUL SHL SHR MAX CMPLT CMPNE XOR OR AND THREEFRY SUB", "WHERE MULACC"))
             for name in names.split()}
_NOTED = (_ERROR, _PROGRAM, OP["SINK"])


class Pass:
  """One tracked rewrite. Matches are `count` rows from `first` on of the columns of its Rewrites."""
  __slots__ = ("name", "loc", "sink", "depth", "bottom_up", "walk", "enter_calls", "first", "count", "at", "earliest", "latest", "span",
               "parent", "id", "failed", "made", "output", "ns", "section")

  def __init__(self):
    self.at = None  # how many matches of the pass around it came before; None: not recorded
    self.earliest = self.latest = None  # bounds of a place that was not recorded
    self.made = None  # see places.made
    self.parent = None
    self.failed = False
    self.output = 0
    self.ns = 0


class Group:
  """Passes of one schedule, one kernel, or something else that tinygrad names."""

  def __init__(self, name, keys, traceback):
    self.name, self.keys, self.traceback = name, keys, traceback
    self.passes = []


class Rewrites:
  def __init__(self):
    self.groups = []
    self.nodes = Nodes()
    self.number = array("I")  # node of a trace number
    self.before, self.after, self.rule = array("I"), array("I"), array("I")  # of matches, by trace numbers
    self.ns = array("q")
    self.error_text = {}  # trace number of a REWRITE_ERROR -> its message
    self.program_info, self.estimates = {}, {}  # of PROGRAM and SINK nodes: their arguments as objects
    self.metadata = {}  # node -> what of the user's program it came from
    self.rules = []  # (file, line)
    self._rule_number = {}
    self.cut_short = None  # message, if the pickle ends too early

  # ** from tinygrad's objects or their stand-ins

  def add_pass(self, tracked):
    """Packs a TrackedGraphRewrite; its list of matches can go."""
    p = Pass()
    try:
      p.name, p.sink, p.depth = str(tracked.name), tracked.sink, tracked.depth
      p.loc = (str(tracked.loc[0]), int(tracked.loc[1]))
      p.bottom_up, p.walk, p.enter_calls = bool(tracked.bottom_up), bool(tracked.walk), bool(tracked.enter_calls)
      matches = tracked.matches
    except AttributeError as e:
      raise OtherVersion(f"a tracked rewrite has no '{str(e).rpartition('attribute ')[2].strip(chr(39))}'") from e
    p.first, p.count = len(self.ns), len(matches)
    rule_number = self._rule_number
    try:
      for before, after, loc, seconds in matches:
        self.before.append(before)
        self.after.append(after)
        n = rule_number.get(loc)
        if n is None:
          n = rule_number[loc] = len(self.rules)
          self.rules.append((str(loc[0]), int(loc[1])))
        self.rule.append(n)
        self.ns.append(int(seconds * 1e9))
    except (ValueError, TypeError, OverflowError) as e:
      raise OtherVersion(f"the matches of pass '{p.name}' are not (before, after, place, seconds)") from e
    return p

  def add_nodes(self, rows):
    """rows: [trace number, (op, dtype, sources, arg, tag, ...), ...], in order."""
    nodes, number = self.nodes, self.number
    op_number, dtype_number, arg_number, add = nodes.op_number, nodes.dtype_number, nodes.arg_number, nodes.add
    node_of, operands = number.__getitem__, _OPERANDS.get
    if len(rows) and len(number) == 0:
      _check_node(rows[1])
    for i in range(0, len(rows), 2):
      n, row = rows[i], rows[i + 1]
      op, dtype, srcs, arg, tag = row if len(row) == 5 else row[:5]
      if n != len(number):
        raise Problem(f"trace number {n} comes where {len(number)} was expected: another version of tinygrad, or a damaged pickle")
      try:
        mapped = tuple(map(node_of, srcs)) if srcs else ()
      except IndexError as e:
        raise Problem(f"node {n} has a source that comes after it: the pickle is damaged") from e
      code = op_number(op)
      if len(mapped) != operands(code, len(mapped)):
        raise OtherVersion(f"node {n} is {OPS[code]} with {len(mapped)} sources, so that ops seem to have other numbers")
      node = add(code, dtype_number(dtype), mapped, 0 if arg is None else arg_number(arg), 0 if tag is None else arg_number(tag))
      number.append(node)
      if code in _NOTED:
        if code == _ERROR:
          self.error_text[n] = str(arg)
        elif code == _PROGRAM:
          self.program_info[node] = (arg, self.estimates.get(mapped[0]) if mapped else None)
        elif getattr(arg, "estimates", None) is not None:
          self.estimates[node] = arg
      if len(row) > 5 and row[5]:
        self.metadata.setdefault(node, ", ".join(f"{m.name} backward" if getattr(m, "backward", False) else m.name for m in row[5]))


def _check_node(row):
  if not isinstance(row, tuple) or not 5 <= len(row) <= 6 or not hasattr(row[0], "name") or not isinstance(row[2], tuple):
    raise OtherVersion("a node is not (op, dtype, sources, argument, tag)")


def from_pickle(path, progress=None):
  """Rewrites of a rewrites.pkl. One that is cut short gives what stands before its end."""
  r = Rewrites()
  packed = {}  # by id, with the object so that its id stays taken

  def built(tracked):
    packed[id(tracked)] = (r.add_pass(tracked), tracked)
    tracked.__dict__.clear()

  def nodes(rows, around):
    if not r.groups:
      _take_groups(r, dict(zip(around[::2], around[1::2])), packed)
    r.add_nodes(rows)

  try:
    with open(path, "rb") as f:
      size = os.fstat(f.fileno()).st_size
      if size == 0:
        raise Problem("the file is empty")
      with mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as data:
        told = (lambda pos: progress("reading", pos, size)) if progress else None
        root = read_pickle(data, {"TrackedGraphRewrite": built}, {"uop_fields": nodes}, told)
        if type(root).__name__ != "RewriteTrace":
          raise Problem(f"it holds no rewrites of tinygrad but a {type(root).__name__}; run the program with VIZ=1 to make such a file")
        if not hasattr(root, "uop_fields"):
          raise OtherVersion("it has no 'uop_fields'")
  except CutShort as e:
    if not len(r.number):
      raise Problem(f"{path}: {e}. Nodes stand at the end of a pickle, so nothing of this one can be shown.") from e
    r.cut_short = f"{path}: {e}"
  except Problem as e:
    raise Problem(f"{path}: {e}") from e
  except OSError as e:
    raise Problem(f"cannot read {path}: {e.strerror}") from e
  return r


def _take_groups(r, attributes, packed):
  if "keys" not in attributes or "rewrites" not in attributes:
    raise OtherVersion("it has no 'keys' and 'rewrites' before its nodes")
  for key, tracked in zip(attributes["keys"], attributes["rewrites"]):
    if not hasattr(key, "display_name"):
      raise OtherVersion(f"a group is named by a {type(key).__name__} without display_name")
    group = Group(str(key.display_name), tuple(getattr(key, "keys", ())), getattr(key, "tb", None))
    group.passes = [packed[id(t)][0] for t in tracked]
    r.groups.append(group)


def from_module(ops, positions, progress=None):
  """Rewrites of the tinygrad that runs in this process. positions: id of a tracked rewrite -> (rewrite, matches before it)."""
  r = Rewrites()
  open_now = {id(t) for t in ops.active_rewrites}
  for key, tracked in zip(ops.tracked_keys, ops.tracked_ctxs):
    group = Group(str(key.display_name), tuple(key.keys), key.tb)
    for t in tracked:
      p = r.add_pass(t)
      known = positions.get(id(t))
      p.at = known[1] if known else None
      p.failed = id(t) in open_now
      group.passes.append(p)
    r.groups.append(group)
  rows = []
  total = len(ops.uop_fields)
  for number, row in ops.uop_fields.items():
    rows += (number, row)
    if len(rows) >= 4096:
      r.add_nodes(rows)
      rows = []
      if progress:
        progress("reading", number, total)
  r.add_nodes(rows)
  return r
