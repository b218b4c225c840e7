"""What a pickle names, as data: for every class of tinygrad a stand-in of the same name that holds attributes and does nothing.

The rest of the package asks for `type(x).__name__` and for attributes alone, so it takes these and tinygrad's own objects alike."""

from .names import ADDR_SPACES, AXIS_TYPES, DTYPE_OF_C, DTYPES, OPS
from .problem import OtherVersion

OPT_OPS = "TC UPCAST UNROLL LOCAL THREAD GROUP GROUPTOP NOLOCALS PADTO SWAP".split()
# Members of an enumeration by value, from 1.
_MEMBERS = {"Ops": OPS[1:], "AxisType": AXIS_TYPES, "AddrSpace": ADDR_SPACES, "OptOps": OPT_OPS}
_BUILTINS = ("builtins", "__builtin__")  # the second in protocol 2
# Names of the arguments that a class is called with.
_FIELDS = {"UOp": ("op", "dtype", "src", "arg", "tag", "metadata"), "DType": ("priority", "bitsize", "name", "fmt"),
           "CallInfo": ("grad_fxn", "name", "precompile", "precompile_backward", "aux")}


class Foreign:
  """An object of a class that was not loaded."""

  def __init__(self, args=()):
    self.args = args
    for name, value in zip(_FIELDS.get(type(self).__name__, ()), args):
      setattr(self, name, value)

  def set_state(self, state):
    if isinstance(state, tuple) and len(state) == 2:  # (dict, slots)
      for part in state:
        if isinstance(part, dict):
          self.__dict__.update(part)
    elif isinstance(state, dict):
      self.__dict__.update(state)

  def __repr__(self):
    return f"{type(self).__name__}(...)"


class Class:
  """A class or function that a pickle names. Calling it makes data."""

  def __init__(self, module, name):
    self.module, self.name = module, name
    self.kind = type(name.rpartition(".")[2], (Foreign,), {})
    self.members = {}

  def __hash__(self):
    return hash((self.module, self.name))

  def __eq__(self, other):
    return isinstance(other, Class) and (self.module, self.name) == (other.module, other.name)

  def member(self, name):
    if name not in self.members:
      made = self.members[name] = self.kind()
      made.name = name
    return self.members[name]

  def call(self, args):
    if self.name in _MEMBERS and len(args) == 1 and isinstance(args[0], int):
      names = _MEMBERS[self.name]
      if not 1 <= args[0] <= len(names):
        raise OtherVersion(f"{self.name} number {args[0]} is not known")
      return self.member(names[args[0] - 1])
    if self.module in _BUILTINS and self.name == "getattr":
      if len(args) == 2 and isinstance(args[0], Class) and isinstance(args[1], str):
        return args[0].member(args[1])
      return Foreign(args)
    if self.name == "ConstFloat" and args:
      return float(args[0])
    if (self.module, self.name) == ("decimal", "Decimal") and args:
      return float(args[0])
    if self.module in _BUILTINS and self.name in ("set", "frozenset", "list", "bytearray"):
      return list(args[0]) if args and isinstance(args[0], (list, tuple)) else args
    if (self.module, self.name) == ("_codecs", "encode") and len(args) == 2 and isinstance(args[0], str):
      return args[0].encode("latin1")  # bytes, in protocol 2
    if self.name == "InvalidType":
      return self.member("Invalid")
    return self.kind(args)


def dtype_number(dtype):
  """The format's number of a DType, tinygrad's own or a stand-in."""
  number = DTYPE_OF_C.get(dtype.name)
  if number is None:
    raise OtherVersion(f"dtype '{dtype.name}' is not known")
  return number


def dtype_name(dtype):
  return DTYPES[dtype_number(dtype)]
