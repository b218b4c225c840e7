"""Tensor: a lazy array. Methods build a graph; `realize`, `numpy`, `item` and `tolist` compute it."""
from __future__ import annotations

import functools
import inspect
import math
import weakref
from typing import Any, Callable, Iterable, Sequence

from . import _core
from .arguments import Device, Number, int_list, listed
from .dtypes import NUMPY, DType, dtypes
from .movement import Movement
from .networks import Networks
from .operators import Operators
from .reductions import Reductions
from .session import core, script_line

_alive: "weakref.WeakValueDictionary[int, Tensor]" = weakref.WeakValueDictionary()
_made = 0
_depth = 0


def _flatten(v: Any) -> tuple[list, list[int]]:
  """The numbers of nested lists, and their shape."""
  if isinstance(v, Tensor):
    v = v.tolist()
  if not isinstance(v, (list, tuple)):
    return [v], []
  parts = [_flatten(x) for x in v]
  shapes = [s for _, s in parts]
  if any(s != shapes[0] for s in shapes):
    raise ValueError("the lists that a tensor is made from must be of one length")
  return [x for p, _ in parts for x in p], [len(v), *(shapes[0] if shapes else [])]


def _dtype_of(numbers: list) -> DType:
  if not numbers:
    return dtypes.default_float
  if all(isinstance(x, bool) for x in numbers):
    return dtypes.bool
  return dtypes.default_int if all(isinstance(x, int) for x in numbers) else dtypes.default_float


class Tensor(Operators, Movement, Reductions, Networks):
  """A lazy array of one dtype.

  `Tensor(data)`: data is a number, nested lists, bytes or a numpy array; `dtype` casts it, `device` names where it lives.
  Operands broadcast as numpy's do. Where shapes or dtypes do not fit, methods raise rangescope.Error and say what would.
  """

  __slots__ = ("_t", "grad", "requires_grad", "__weakref__")
  __array_ufunc__ = None  # numpy leaves operators with an array on the left to this class

  def __init__(self, data: Any = None, device: Device = None, dtype: str | None = None, requires_grad: bool | None = None):
    self._set(self._from(data, device, dtype))
    self.requires_grad = requires_grad

  def _set(self, t: _core.Tensor) -> None:
    global _made
    self._t, self.grad, self.requires_grad = t, None, None
    _alive[_made] = self
    _made += 1

  @staticmethod
  def _wrap(t: _core.Tensor) -> "Tensor":
    r = Tensor.__new__(Tensor)
    r._set(t)
    return r

  @staticmethod
  def _from(data: Any, device: Device, dtype: str | None) -> _core.Tensor:
    core.set_location(script_line())
    if isinstance(data, Tensor):
      t = data._t if device is None else data._t.to(device)
      return t if dtype is None else t.cast(dtype)
    if data is None:
      data = 0.0
    if isinstance(data, (bool, int, float)):
      return core.scalar(data, dtype)
    if isinstance(data, (bytes, bytearray)):
      as_dtype = dtype or dtypes.uint8
      return core.from_bytes(as_dtype, [len(data) // max(1, DType(as_dtype).itemsize)], bytes(data), None, device)
    if hasattr(data, "dtype") and hasattr(data, "tobytes"):
      import numpy as np
      array = np.asarray(data, order="C")
      name = array.dtype.name
      if name not in NUMPY:
        raise TypeError(f"a tensor cannot hold numpy's {name}; it can hold {', '.join(sorted(NUMPY))}")
      if array.shape == ():
        return core.scalar(array.item(), dtype or name)
      if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("="))
      return core.from_bytes(name, list(array.shape), array.tobytes(), dtype, device)
    if isinstance(data, (list, tuple, range)):
      numbers, shape = _flatten(list(data))
      if not all(isinstance(x, (bool, int, float)) for x in numbers):
        raise TypeError("a tensor is made from numbers")
      import array
      kind = dtype or _dtype_of(numbers)
      held = dtypes.float64 if dtypes.is_float(kind) else dtypes.int64
      if held == dtypes.int64 and any(isinstance(x, float) for x in numbers):
        numbers = [int(x) for x in numbers]
      exact = array.array("d" if held == dtypes.float64 else "q", [x - 2**64 if isinstance(x, int) and x >= 2**63 else x for x in numbers])
      return core.from_values(kind, shape, exact.tobytes(), held, device)
    raise TypeError(f"a tensor cannot be made from {type(data).__name__}")

  # ** what it is

  @property
  def shape(self) -> tuple[int, ...]:
    return tuple(self._t.shape)

  @property
  def dtype(self) -> DType:
    return DType(self._t.dtype)

  @property
  def device(self) -> str | tuple[str, ...] | None:
    """Where it lives: a name, several, or None of a constant."""
    return self._t.device

  @property
  def ndim(self) -> int:
    return len(self._t.shape)

  @property
  def T(self) -> "Tensor":
    return self.transpose()

  def numel(self) -> int:
    return math.prod(self.shape)

  def size(self, dim: int | None = None) -> int | tuple[int, ...]:
    return self.shape if dim is None else self.shape[dim]

  def element_size(self) -> int:
    return self.dtype.itemsize

  def is_floating_point(self) -> bool:
    return dtypes.is_float(self.dtype)

  def __len__(self) -> int:
    if not self.shape:
      raise TypeError("a tensor without axes has no length")
    return self.shape[0]

  def __repr__(self) -> str:
    return f"<Tensor {self.shape} {self.dtype} on {self.device}, last op {self._t.op}>"

  def __bool__(self) -> bool:
    raise TypeError("a lazy tensor is neither true nor false; use .item()")

  def __hash__(self) -> int:
    return id(self)

  def graph(self) -> str:
    """The graph that computes it, as text."""
    return self._t.graph()

  # ** its values

  def realize(self, *more: "Tensor") -> "Tensor":
    """Computes this tensor, and others in the same program, into buffers of their own."""
    core.realize([self._t, *(t._t for t in more)])
    return self

  def numpy(self) -> Any:
    """The values as a numpy array of this shape; bfloat16 and fp8 become float32."""
    import numpy as np
    t = self._t if self.dtype in NUMPY or self.dtype.startswith("weak") else self._t.cast("float32")
    dtype, shape, data = core.values(t)
    return np.frombuffer(data, dtype=dtype).reshape(shape).copy()

  def tolist(self) -> Any:
    """The values as nested lists; a number of a tensor without axes."""
    return self.numpy().tolist()

  def item(self) -> Number:
    """The value of a tensor with one element."""
    if self.numel() != 1:
      raise ValueError(f"item() needs a tensor with one element, this has {self.numel()}")
    return self.numpy().reshape(()).item()

  def data(self) -> memoryview:
    return memoryview(self.numpy())

  # ** creation

  @staticmethod
  def empty(*shape: Any, device: Device = None, dtype: str | None = None) -> "Tensor":
    """A buffer of this shape whose contents are not set."""
    return Tensor._wrap(core.empty(listed(shape), dtype, device))

  @staticmethod
  def full(shape: Sequence[int], fill_value: Number, dtype: str | None = None, device: Device = None, buffer: bool = True) -> "Tensor":
    """Filled with one value. `buffer=False`: a constant that takes no memory."""
    return Tensor._wrap(core.full(int_list(shape), fill_value, dtype, device, buffer))

  @staticmethod
  def zeros(*shape: Any, **kwargs: Any) -> "Tensor":
    return Tensor.full(listed(shape), 0.0, **kwargs)

  @staticmethod
  def ones(*shape: Any, **kwargs: Any) -> "Tensor":
    return Tensor.full(listed(shape), 1.0, **kwargs)

  @staticmethod
  def arange(start: Number, stop: Number | None = None, step: Number = 1, dtype: str | None = None) -> "Tensor":
    """start, start + step, ... below stop; of one argument 0, 1, ... below it."""
    return Tensor._wrap(core.arange(*((0, start) if stop is None else (start, stop)), step, dtype))

  @staticmethod
  def linspace(start: Number, stop: Number, steps: int, dtype: str | None = None) -> "Tensor":
    """`steps` values from start to stop, both included."""
    return Tensor._wrap(core.linspace(start, stop, steps, dtype))

  @staticmethod
  def eye(n: int, m: int | None = None, dtype: str | None = None) -> "Tensor":
    return Tensor._wrap(core.eye(n, m, dtype))

  @staticmethod
  def manual_seed(seed: int = 0) -> None:
    """Starts the generator of random numbers anew."""
    core.manual_seed(seed & 0xFFFFFFFF)

  @staticmethod
  def _random(kind: str, shape: tuple, dtype: str | None, device: Device) -> "Tensor":
    return Tensor._wrap(core.random(kind, listed(shape), dtype, device))

  @staticmethod
  def rand(*shape: Any, device: Device = None, dtype: str | None = None) -> "Tensor":
    """Uniform in [0, 1)."""
    return Tensor._random("rand", shape, dtype, device)

  @staticmethod
  def randn(*shape: Any, device: Device = None, dtype: str | None = None) -> "Tensor":
    """Normal, of mean 0 and deviation 1."""
    return Tensor._random("randn", shape, dtype, device)

  @staticmethod
  def scaled_uniform(*shape: Any, device: Device = None, dtype: str | None = None) -> "Tensor":
    return Tensor._random("scaled_uniform", shape, dtype, device)

  @staticmethod
  def glorot_uniform(*shape: Any, device: Device = None, dtype: str | None = None) -> "Tensor":
    return Tensor._random("glorot_uniform", shape, dtype, device)

  @staticmethod
  def kaiming_uniform(*shape: Any, device: Device = None, dtype: str | None = None) -> "Tensor":
    return Tensor._random("kaiming_uniform", shape, dtype, device)

  @staticmethod
  def kaiming_normal(*shape: Any, device: Device = None, dtype: str | None = None) -> "Tensor":
    return Tensor._random("kaiming_normal", shape, dtype, device)

  @staticmethod
  def uniform(*shape: Any, low: Number = 0.0, high: Number = 1.0, dtype: str | None = None, device: Device = None) -> "Tensor":
    return Tensor._wrap(core.uniform(listed(shape), low, high, dtype, device))

  @staticmethod
  def normal(*shape: Any, mean: Number = 0.0, std: Number = 1.0, dtype: str | None = None, device: Device = None) -> "Tensor":
    return Tensor._wrap(core.normal(listed(shape), mean, std, dtype, device))

  @staticmethod
  def randint(*shape: Any, low: int = 0, high: int = 10, dtype: str | None = None, device: Device = None) -> "Tensor":
    """Integers in [low, high)."""
    return Tensor._wrap(core.randint(listed(shape), low, high, dtype, device))

  @staticmethod
  def randperm(n: int, device: Device = None, dtype: str | None = None) -> "Tensor":
    """0 to n-1 in random order."""
    return Tensor._wrap(core.randperm(n, dtype, device))

  def empty_like(self, dtype: str | None = None) -> "Tensor":
    return self._wrap(self._t.empty_like(dtype))

  def full_like(self, fill_value: Number, dtype: str | None = None) -> "Tensor":
    return self._wrap(self._t.full_like(fill_value, dtype))

  def zeros_like(self, dtype: str | None = None) -> "Tensor":
    return self.full_like(0, dtype)

  def ones_like(self, dtype: str | None = None) -> "Tensor":
    return self.full_like(1, dtype)

  def const_like(self, value: Number, dtype: str | None = None) -> "Tensor":
    return self._wrap(self._t.const_like(value, dtype))

  def rand_like(self, dtype: str | None = None) -> "Tensor":
    return self._wrap(self._t.rand_like(dtype))

  def randn_like(self, dtype: str | None = None) -> "Tensor":
    return self._wrap(self._t.randn_like(dtype))

  # ** dtype

  def cast(self, dtype: str) -> "Tensor":
    return self._wrap(self._t.cast(dtype))

  def bitcast(self, dtype: str) -> "Tensor":
    """The same bits as another dtype; the last axis is rescaled where their sizes differ."""
    return self._wrap(self._t.bitcast(dtype))

  def _operand(self, y: Any) -> Any:
    if isinstance(y, Tensor):
      return y._t
    if isinstance(y, (bool, int, float)):
      return y
    return Tensor(y)._t

  @staticmethod
  def einsum(formula: str, *operands: Any, dtype: str | None = None) -> "Tensor":
    """Sums of products: einsum("ij,jk->ik", a, b)."""
    xs = listed(operands)
    return Tensor._wrap(_core.einsum(formula, [x._t for x in xs], dtype))

  # ** indexing

  def _index(self, indices: Any) -> list:
    if isinstance(indices, list) and all(isinstance(i, int) for i in indices):
      indices = [indices]
    elif not isinstance(indices, (tuple, list)):
      indices = [indices]
    out = []
    for i in indices:
      if isinstance(i, Tensor):
        out.append(i._t)
      elif isinstance(i, (list, tuple)) or hasattr(i, "tobytes") and getattr(i, "shape", ()) != ():
        t = Tensor(i, device=self.device)
        out.append((t if t.dtype != dtypes.int64 else t.cast(dtypes.int32))._t)
      else:
        out.append(i)
    return out

  def __getitem__(self, indices: Any) -> "Tensor":
    """Ints, slices with steps, None, ..., lists and tensors of ints."""
    return self._wrap(self._t.at(self._index(indices)))

  def __setitem__(self, indices: Any, v: Any) -> None:
    self._t.set_item(self._index(indices), v if isinstance(v, (bool, int, float)) else self._like(v)._t)

  def _like(self, v: Any) -> "Tensor":
    return v if isinstance(v, Tensor) else Tensor(v, dtype=self.dtype, device=self.device)

  def __iter__(self) -> Iterable["Tensor"]:
    return (self[i] for i in range(len(self)))

  def gather(self, dim: int, index: "Tensor") -> "Tensor":
    """Of index's shape: this tensor's elements at the index along the axis."""
    return self._wrap(self._t.gather(dim, index._t))

  def scatter(self, dim: int, index: "Tensor", src: Any, reduce: str | None = None) -> "Tensor":
    """This tensor with src's elements at the index along the axis; a number can be reduced by "add" or "multiply"."""
    return self._wrap(self._t.scatter(dim, index._t, self._operand(src), reduce or ""))

  def scatter_reduce(self, dim: int, index: "Tensor", src: "Tensor", reduce: str, include_self: bool = True) -> "Tensor":
    """reduce: sum, prod, mean, amax, amin."""
    return self._wrap(self._t.scatter_reduce(dim, index._t, src._t, reduce, include_self))

  def masked_select(self, mask: "Tensor", size: int | None = None, fill_value: Number = 0) -> "Tensor":
    """The elements where the mask is true. Without a size they are counted, which computes the mask."""
    if size is None:
      size = int(mask.expand(self.shape).sum().item())
    return self._wrap(self._t.masked_select(mask._t, size, fill_value))

  def nonzero(self, size: int | None = None, fill_value: Number = 0) -> "Tensor":
    """The places of the elements that are not 0, a row each."""
    if size is None:
      size = int(self.ne(0).sum().item())
    return self._wrap(self._t.nonzero(size, fill_value))

  def one_hot(self, num_classes: int) -> "Tensor":
    return self._wrap(self._t.one_hot(num_classes))

  # ** writing, devices, gradients

  def assign(self, x: Any) -> "Tensor":
    """Writes x into this tensor's buffer; every tensor that looks at it sees that. The dtype must be this one's."""
    self._t.assign(x if isinstance(x, (bool, int, float)) else self._like(x)._t)
    return self

  def replace(self, x: "Tensor") -> "Tensor":
    self._t.replace(x._t)
    return self

  def clone(self, device: Device = None) -> "Tensor":
    return self._wrap(self._t.clone(device))

  def to(self, device: Device) -> "Tensor":
    return self._wrap(self._t.to(device))

  def shard(self, devices: Sequence[str], axis: int | None = None) -> "Tensor":
    """Over several devices, cut along an axis; without one, a copy on each."""
    return self._wrap(self._t.shard([*devices], axis))

  def to_(self, device: Device) -> "Tensor":
    """This tensor is on the device from here on."""
    self._t = self.to(device)._t
    return self

  def shard_(self, devices: Sequence[str], axis: int | None = None) -> "Tensor":
    """This tensor is spread over the devices from here on."""
    self._t = self.shard(devices, axis)._t
    return self

  def gradient(self, *targets: "Tensor", gradient: "Tensor | None" = None) -> list["Tensor"]:
    """Of this scalar by the targets; of another shape, weighted by `gradient`."""
    return [self._wrap(g) for g in self._t.gradient([t._t for t in targets], None if gradient is None else gradient._t)]

  def backward(self, gradient: "Tensor | None" = None) -> "Tensor":
    """Adds to .grad of every float tensor that this one is made of and that still exists."""
    alive = [t for t in [*_alive.values()] if t is not self and t.is_floating_point() and t.device is not None and t.requires_grad is not False]
    used = [t for t, yes in zip(alive, _core.reaches(self._t, [t._t for t in alive])) if yes]
    for t, g in zip(used, self.gradient(*used, gradient=gradient)):
      t.grad = g if t.grad is None else t.grad + g
    return self


_UNARY = {
  "reciprocal": "1 / x", "trunc": "towards zero", "sqrt": "", "rsqrt": "1 / sqrt(x)", "square": "", "sin": "", "cos": "", "tan": "",
  "asin": "", "acos": "", "atan": "", "sinh": "", "cosh": "", "asinh": "", "acosh": "", "atanh": "", "exp": "", "exp2": "", "log": "",
  "log2": "", "log10": "", "ceil": "", "floor": "", "round": "halves to even", "sign": "", "abs": "", "erf": "", "relu": "max(x, 0)",
  "relu6": "", "sigmoid": "", "tanh": "", "hardswish": "", "quick_gelu": "", "swish": "x * sigmoid(x)", "mish": "", "logsigmoid": "",
  "isnan": "", "isfinite": "", "softsign": "", "neg": "", "logical_not": "", "bitwise_not": "",
  "contiguous": "a buffer of its own", "contiguous_backward": "a buffer of its own for the gradient",
  "detach": "no gradient goes through", "diag": "the diagonal of a square",
}


def _unary(name: str, text: str) -> Callable[[Tensor], Tensor]:
  def method(self: Tensor) -> Tensor:
    return self._wrap(self._t.unary(name))

  method.__name__, method.__qualname__ = name, f"Tensor.{name}"
  method.__doc__ = f"{name} of each element{': ' + text if text else ''}. Shape: this one's."
  return method


for _name, _text in _UNARY.items():
  setattr(Tensor, _name, _unary(_name, _text))


# Named after Python's types, so defined apart from the class: within it the names are those of the types.
_CASTS = {"float": dtypes.float32, "half": dtypes.float16, "int": dtypes.int32, "bool": dtypes.bool, "double": dtypes.float64,
          "long": dtypes.int64, "short": dtypes.int16, "bfloat16": dtypes.bfloat16}


def _cast(name: str, dtype: DType) -> Callable[[Tensor], Tensor]:
  def method(self: Tensor) -> Tensor:
    return self.cast(dtype)

  method.__name__, method.__qualname__, method.__doc__ = name, f"Tensor.{name}", f"Cast to {dtype}."
  return method


for _name, _dtype in _CASTS.items():
  setattr(Tensor, _name, _cast(_name, _dtype))


def _located(f: Callable) -> Callable:
  """The outermost call from a script says where the script stands, so that nodes remember it."""
  @functools.wraps(f)
  def call(*args: Any, **kwargs: Any) -> Any:
    global _depth
    if _depth == 0:
      core.set_location(script_line())
    _depth += 1
    try:
      return f(*args, **kwargs)
    finally:
      _depth -= 1

  return call


_DIRECT = {"__getitem__", "__setitem__", "__lt__", "__gt__", "__le__", "__ge__", "__rand__", "__ror__", "__rxor__"}
for _name in dir(Tensor):
  if _name.startswith("_") and _name not in _DIRECT:
    continue
  _member = inspect.getattr_static(Tensor, _name)
  _function = _member.__func__ if isinstance(_member, staticmethod) else _member
  if not inspect.isfunction(_function):
    continue
  _function.__qualname__ = f"Tensor.{_function.__name__}"  # of whichever family it is
  setattr(Tensor, _name, staticmethod(_located(_function)) if isinstance(_member, staticmethod) else _located(_function))
