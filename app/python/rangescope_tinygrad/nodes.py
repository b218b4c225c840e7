"""Every node of a trace, each once, in a few numbers: about 40 bytes a node, and an index by structure."""

from array import array

from .foreign import dtype_number
from .names import OP
from .notation import argument_json
from .problem import OtherVersion

_MOST_CACHED = 1 << 16


class Nodes:
  """Nodes from 1, sources before users. `op`, `dtype`, `arg`, `tag` are indexed by number; sources of n are srcs[start[n]:start[n+1]]."""

  def __init__(self):
    self.op, self.dtype = bytearray(1), bytearray(1)
    self.start, self.srcs = array("I", (0, 0)), array("I")
    self.arg, self.tag = array("I", (0,)), array("I", (0,))
    self.args = []  # JSON of argument i + 1
    self._arg_of_json = {}
    self._arg_of_text, self._arg_of_object = {}, {}
    self._by_structure = {}
    self._op_number, self._dtype_number = {}, {}

  def __len__(self):
    return len(self.op) - 1

  def sources(self, n):
    return self.srcs[self.start[n]:self.start[n + 1]]

  def add(self, op, dtype, srcs, arg, tag):
    """The number of the node, by numbers alone."""
    key = hash((op, dtype, srcs, arg, tag))
    known = self._by_structure.get(key)
    while known is not None:
      if (self.op[known] == op and self.dtype[known] == dtype and self.arg[known] == arg and self.tag[known] == tag and
          tuple(self.srcs[self.start[known]:self.start[known + 1]]) == srcs):
        return known
      key += 1
      known = self._by_structure.get(key)
    n = len(self.op)
    self._by_structure[key] = n
    self.op.append(op)
    self.dtype.append(dtype)
    self.srcs.extend(srcs)
    self.start.append(len(self.srcs))
    self.arg.append(arg)
    self.tag.append(tag)
    return n

  def op_number(self, op):
    n = self._op_number.get(op)
    if n is None:
      n = OP.get(op.name)
      if n is None:
        raise OtherVersion(f"op {op.name} is not known")
      self._op_number[op] = n
    return n

  def dtype_number(self, dtype):
    n = self._dtype_number.get(id(dtype))
    if n is None:
      n = dtype_number(dtype)
      self._dtype_number[id(dtype)] = n
      self._arg_of_object[("dtype", id(dtype))] = dtype  # keeps the id taken
    return n

  def arg_number(self, a):
    """The number of an argument or tag; 0: none."""
    if a is None:
      return 0
    kind = type(a)
    if kind is int or kind is str:
      known = self._arg_of_text.get(a)
      if known is None:
        known = self._number_of_json(argument_json(a))
        if len(self._arg_of_text) > _MOST_CACHED:
          self._arg_of_text.clear()
        self._arg_of_text[a] = known
      return known
    known = self._arg_of_object.get(id(a))
    if known is not None and known[0] is a:
      return known[1]
    number = self._number_of_json(argument_json(a))
    if kind is not tuple and kind is not float:
      if len(self._arg_of_object) > _MOST_CACHED:
        self._arg_of_object.clear()
        self._dtype_number.clear()
      self._arg_of_object[id(a)] = (a, number)
    return number

  def _number_of_json(self, json):
    known = self._arg_of_json.get(json)
    if known is None:
      self.args.append(json)
      known = self._arg_of_json[json] = len(self.args)
    return known
