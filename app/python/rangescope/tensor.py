"""Tensor: a lazy array. Methods build a graph; `realize`, `numpy`, `item` and `tolist` compute it."""
from __future__ import annotations

import functools
import inspect
import math
import weakref
from typing import Any, Callable, Iterable, Sequence, Union

from . import _core
from .dtypes import NUMPY, DType, dtypes
from .session import core, script_line

Number = Union[int, float, bool]
Axis = Union[int, Sequence[int], None]
Device = Union[str, Sequence[str], None]

_alive: "weakref.WeakValueDictionary[int, Tensor]" = weakref.WeakValueDictionary()
_made = 0
_depth = 0


def _fixed(first: Any, rest: tuple) -> list:
  """Sizes or axes that came as one sequence or as several arguments."""
  return [*first] if isinstance(first, (tuple, list)) else [first, *rest]


def _shape(args: tuple) -> list[int]:
  return [*args[0]] if len(args) == 1 and isinstance(args[0], (tuple, list)) else [*args]


def _axes(axis: Axis) -> list[int] | None:
  return None if axis is None else [axis] if isinstance(axis, int) else [*axis]


def _ints(v: int | Sequence[int]) -> list[int]:
  return [v] if isinstance(v, int) else [*v]


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


class Tensor:
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
    return Tensor._wrap(core.empty(_shape(shape), dtype, device))

  @staticmethod
  def full(shape: Sequence[int], fill_value: Number, dtype: str | None = None, device: Device = None, buffer: bool = True) -> "Tensor":
    """Filled with one value. `buffer=False`: a constant that takes no memory."""
    return Tensor._wrap(core.full(_ints(shape), fill_value, dtype, device, buffer))

  @staticmethod
  def zeros(*shape: Any, **kwargs: Any) -> "Tensor":
    return Tensor.full(_shape(shape), 0.0, **kwargs)

  @staticmethod
  def ones(*shape: Any, **kwargs: Any) -> "Tensor":
    return Tensor.full(_shape(shape), 1.0, **kwargs)

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
    return Tensor._wrap(core.random(kind, _shape(shape), dtype, device))

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
    return Tensor._wrap(core.uniform(_shape(shape), low, high, dtype, device))

  @staticmethod
  def normal(*shape: Any, mean: Number = 0.0, std: Number = 1.0, dtype: str | None = None, device: Device = None) -> "Tensor":
    return Tensor._wrap(core.normal(_shape(shape), mean, std, dtype, device))

  @staticmethod
  def randint(*shape: Any, low: int = 0, high: int = 10, dtype: str | None = None, device: Device = None) -> "Tensor":
    """Integers in [low, high)."""
    return Tensor._wrap(core.randint(_shape(shape), low, high, dtype, device))

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

  # ** operators

  def _operand(self, y: Any) -> Any:
    if isinstance(y, Tensor):
      return y._t
    if isinstance(y, (bool, int, float)):
      return y
    return Tensor(y)._t

  def _binary(self, name: str, y: Any, reverse: bool = False) -> "Tensor":
    return self._wrap(self._t.binary(name, self._operand(y), reverse))

  def _compare(self, name: str, y: Any) -> "Tensor":
    return self._wrap(self._t.compare(name, self._operand(y)))

  def add(self, x: Any, reverse: bool = False) -> "Tensor":
    return self._binary("add", x, reverse)

  def sub(self, x: Any, reverse: bool = False) -> "Tensor":
    return self._binary("sub", x, reverse)

  def mul(self, x: Any, reverse: bool = False) -> "Tensor":
    return self._binary("mul", x, reverse)

  def div(self, x: Any, reverse: bool = False, rounding_mode: str | None = None) -> "Tensor":
    """True division, in floats; rounding_mode "floor" or "trunc" rounds, and keeps integers."""
    names = {None: "div", "floor": "floordiv", "trunc": "trunc_div"}
    if rounding_mode not in names:
      raise ValueError(f'rounding_mode is "floor", "trunc" or None, not {rounding_mode!r}')
    return self._binary(names[rounding_mode], x, reverse)

  def mod(self, x: Any, reverse: bool = False) -> "Tensor":
    return self._binary("mod", x, reverse)

  def pow(self, x: Any, reverse: bool = False) -> "Tensor":
    return self._binary("pow", x, reverse)

  def bitwise_and(self, x: Any) -> "Tensor":
    return self._binary("bitwise_and", x)

  def bitwise_or(self, x: Any) -> "Tensor":
    return self._binary("bitwise_or", x)

  def bitwise_xor(self, x: Any) -> "Tensor":
    return self._binary("bitwise_xor", x)

  def lshift(self, x: Any) -> "Tensor":
    return self._binary("lshift", x)

  def rshift(self, x: Any) -> "Tensor":
    return self._binary("rshift", x)

  def eq(self, x: Any) -> "Tensor":
    return self._compare("eq", x)

  def ne(self, x: Any) -> "Tensor":
    return self._compare("ne", x)

  def maximum(self, x: Any) -> "Tensor":
    return self._compare("maximum", x)

  def minimum(self, x: Any) -> "Tensor":
    return self._compare("minimum", x)

  def fmod(self, x: Any) -> "Tensor":
    return self._compare("fmod", x)

  def copysign(self, x: Any) -> "Tensor":
    return self._compare("copysign", x)

  def logaddexp(self, x: Any) -> "Tensor":
    return self._compare("logaddexp", x)

  def __add__(self, x: Any) -> "Tensor": return self.add(x)
  def __radd__(self, x: Any) -> "Tensor": return self.add(x, True)
  def __sub__(self, x: Any) -> "Tensor": return self.sub(x)
  def __rsub__(self, x: Any) -> "Tensor": return self.sub(x, True)
  def __mul__(self, x: Any) -> "Tensor": return self.mul(x)
  def __rmul__(self, x: Any) -> "Tensor": return self.mul(x, True)
  def __truediv__(self, x: Any) -> "Tensor": return self.div(x)
  def __rtruediv__(self, x: Any) -> "Tensor": return self.div(x, True)
  def __floordiv__(self, x: Any) -> "Tensor": return self.div(x, rounding_mode="floor")
  def __rfloordiv__(self, x: Any) -> "Tensor": return self.div(x, True, "floor")
  def __mod__(self, x: Any) -> "Tensor": return self.mod(x)
  def __rmod__(self, x: Any) -> "Tensor": return self.mod(x, True)
  def __pow__(self, x: Any) -> "Tensor": return self.pow(x)
  def __rpow__(self, x: Any) -> "Tensor": return self.pow(x, True)
  def __and__(self, x: Any) -> "Tensor": return self.bitwise_and(x)
  def __or__(self, x: Any) -> "Tensor": return self.bitwise_or(x)
  def __xor__(self, x: Any) -> "Tensor": return self.bitwise_xor(x)
  def __rand__(self, x: Any) -> "Tensor": return self._binary("bitwise_and", x, True)
  def __ror__(self, x: Any) -> "Tensor": return self._binary("bitwise_or", x, True)
  def __rxor__(self, x: Any) -> "Tensor": return self._binary("bitwise_xor", x, True)
  def __lshift__(self, x: Any) -> "Tensor": return self.lshift(x)
  def __rshift__(self, x: Any) -> "Tensor": return self.rshift(x)
  def __matmul__(self, x: "Tensor") -> "Tensor": return self.matmul(x)
  def __rmatmul__(self, x: Any) -> "Tensor": return Tensor(x).matmul(self)
  def __neg__(self) -> "Tensor": return self.neg()
  def __invert__(self) -> "Tensor": return self.bitwise_not()
  def __lt__(self, x: Any) -> "Tensor": return self._compare("lt", x)
  def __gt__(self, x: Any) -> "Tensor": return self._compare("gt", x)
  def __le__(self, x: Any) -> "Tensor": return self._compare("le", x)
  def __ge__(self, x: Any) -> "Tensor": return self._compare("ge", x)
  def __eq__(self, x: Any) -> "Tensor": return self.eq(x)  # type: ignore[override]
  def __ne__(self, x: Any) -> "Tensor": return self.ne(x)  # type: ignore[override]
  def __iadd__(self, x: Any) -> "Tensor": return self.assign(self.add(x))
  def __isub__(self, x: Any) -> "Tensor": return self.assign(self.sub(x))
  def __imul__(self, x: Any) -> "Tensor": return self.assign(self.mul(x))
  def __itruediv__(self, x: Any) -> "Tensor": return self.assign(self.div(x))

  def where(self, x: Any, y: Any) -> "Tensor":
    """x where this is true, else y."""
    return self._wrap(self._t.where(self._operand(x), self._operand(y)))

  def masked_fill(self, mask: "Tensor", value: Any) -> "Tensor":
    return mask.where(value, self)

  def clamp(self, min_: Any = None, max_: Any = None) -> "Tensor":
    return self._wrap(self._t.clamp(*(None if v is None else self._operand(v) for v in (min_, max_))))

  clip = clamp

  def lerp(self, end: "Tensor", weight: Any) -> "Tensor":
    """From this to `end` by `weight`."""
    return self._wrap(self._t.lerp(end._t, self._operand(weight)))

  def isinf(self, detect_positive: bool = True, detect_negative: bool = True) -> "Tensor":
    return self._wrap(self._t.isinf(detect_positive, detect_negative))

  def isclose(self, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> "Tensor":
    return self._wrap(self._t.isclose(self._operand(other), rtol, atol, equal_nan))

  def allclose(self, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> "Tensor":
    return self.isclose(other, rtol, atol, equal_nan).all()

  def leaky_relu(self, neg_slope: float = 0.01) -> "Tensor":
    return self._wrap(self._t.leaky_relu(neg_slope))

  def elu(self, alpha: float = 1.0) -> "Tensor":
    return self._wrap(self._t.elu(alpha))

  def celu(self, alpha: float = 1.0) -> "Tensor":
    return self._wrap(self._t.celu(alpha))

  def selu(self, alpha: float = 1.67326, gamma: float = 1.0507) -> "Tensor":
    return self._wrap(self._t.selu(alpha, gamma))

  def gelu(self, approximate: str = "tanh") -> "Tensor":
    """By tanh, or exactly by erf with approximate="none"."""
    if approximate not in ("tanh", "none"):
      raise ValueError(f'approximate is "tanh" or "none", not {approximate!r}')
    return self._wrap(self._t.gelu(approximate == "tanh"))

  def silu(self) -> "Tensor":
    return self.swish()

  def softplus(self, beta: float = 1.0) -> "Tensor":
    return self._wrap(self._t.softplus(beta))

  def hardsigmoid(self, alpha: float = 1 / 6, beta: float = 0.5) -> "Tensor":
    return self._wrap(self._t.hardsigmoid(alpha, beta))

  def hardtanh(self, min_val: Number = -1, max_val: Number = 1) -> "Tensor":
    return self.clamp(min_val, max_val)

  # ** movement: views, no element is copied

  def reshape(self, shape: Any, *more: int) -> "Tensor":
    """The same elements in another shape; one size may be -1, None keeps one."""
    return self._wrap(self._t.reshape([self.shape[i] if s is None else s for i, s in enumerate(_fixed(shape, more))]))

  def view(self, shape: Any, *more: int) -> "Tensor":
    return self.reshape(shape, *more)

  def expand(self, shape: Any, *more: int) -> "Tensor":
    """Axes of size 1 repeated; -1 or None keeps one."""
    return self._wrap(self._t.expand([-1 if s is None else s for s in _fixed(shape, more)]))

  def permute(self, order: Any, *more: int) -> "Tensor":
    return self._wrap(self._t.permute(_fixed(order, more)))

  def transpose(self, dim0: int = 1, dim1: int = 0) -> "Tensor":
    return self._wrap(self._t.transpose(dim0, dim1))

  def flip(self, axis: Any, *more: int) -> "Tensor":
    return self._wrap(self._t.flip(_fixed(axis, more)))

  def shrink(self, arg: Sequence[tuple[int, int] | None]) -> "Tensor":
    """A part of each axis, from begin to end; None keeps it."""
    return self._wrap(self._t.shrink([*arg]))

  def pad(self, padding: Sequence[Any], mode: str = "constant", value: Number = 0.0) -> "Tensor":
    """Elements before and after: a pair an axis (None: none), or flat, the last axis first. Modes: constant, reflect,
    replicate, circular. Negative numbers cut."""
    if any(p is None or isinstance(p, (tuple, list)) for p in padding):
      return self._wrap(self._t.pad([None if p is None else tuple(p) for p in padding], mode, value))
    return self._wrap(self._t.pad_flat([*padding], mode, value))

  def squeeze(self, dim: int | None = None) -> "Tensor":
    return self._wrap(self._t.squeeze(dim))

  def unsqueeze(self, dim: int) -> "Tensor":
    return self._wrap(self._t.unsqueeze(dim))

  def flatten(self, start_dim: int = 0, end_dim: int = -1) -> "Tensor":
    return self._wrap(self._t.flatten(start_dim, end_dim))

  def unflatten(self, dim: int, sizes: Sequence[int]) -> "Tensor":
    return self._wrap(self._t.unflatten(dim, [*sizes]))

  def repeat(self, repeats: Any, *more: int) -> "Tensor":
    return self._wrap(self._t.repeat(_fixed(repeats, more)))

  def repeat_interleave(self, repeats: int, dim: int | None = None) -> "Tensor":
    return self._wrap(self._t.repeat_interleave(repeats, dim))

  def roll(self, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> "Tensor":
    return self._wrap(self._t.roll(_ints(shifts), None if dims is None else _ints(dims)))

  def rearrange(self, formula: str, **sizes: int) -> "Tensor":
    """As einops writes it: "batch channel -> (batch channel)"."""
    return self._wrap(self._t.rearrange(formula, [*sizes.items()]))

  def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> "Tensor":
    return self._wrap(self._t.diagonal(offset, dim1, dim2))

  def unfold(self, dim: int, size: int, step: int) -> "Tensor":
    """Windows of `size` every `step` elements; they are a new last axis."""
    return self._wrap(self._t.unfold(dim, size, step))

  def stack(self, *args: Any, dim: int = 0) -> "Tensor":
    """Tensors of one shape along a new axis."""
    first, *more = _fixed(self, args)
    return self._wrap(first._t.stack([t._t for t in more], dim))

  def cat(self, *args: Any, dim: int = 0) -> "Tensor":
    """Tensors joined along an axis that they have."""
    first, *more = _fixed(self, args)
    return self._wrap(first._t.cat([t._t for t in more], dim))

  def split(self, sizes: int | Sequence[int], dim: int = 0) -> tuple["Tensor", ...]:
    parts = self._t.split_even(sizes, dim) if isinstance(sizes, int) else self._t.split([*sizes], dim)
    return tuple(self._wrap(t) for t in parts)

  def chunk(self, chunks: int, dim: int = 0) -> list["Tensor"]:
    return [self._wrap(t) for t in self._t.chunk(chunks, dim)]

  def meshgrid(self, *args: "Tensor", indexing: str = "ij") -> tuple["Tensor", ...]:
    return tuple(self._wrap(t) for t in self._t.meshgrid([t._t for t in args], indexing))

  def triu(self, diagonal: int = 0) -> "Tensor":
    return self._wrap(self._t.triu(diagonal))

  def tril(self, diagonal: int = 0) -> "Tensor":
    return self._wrap(self._t.tril(diagonal))

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

  # ** reductions: over one axis, several, or all

  def _reduce(self, name: str, axis: Axis, keepdim: bool) -> "Tensor":
    return self._wrap(self._t.reduce(name, _axes(axis), keepdim))

  def sum(self, axis: Axis = None, keepdim: bool = False, dtype: str | None = None) -> "Tensor":
    """Integers are summed in int32 at least, halves in float32; `dtype` says otherwise."""
    return self._wrap(self._t.sum(_axes(axis), keepdim, dtype))

  def prod(self, axis: Axis = None, keepdim: bool = False, dtype: str | None = None) -> "Tensor":
    return self._wrap(self._t.prod(_axes(axis), keepdim, dtype))

  def max(self, axis: Axis = None, keepdim: bool = False) -> "Tensor":
    return self._reduce("max", axis, keepdim)

  def min(self, axis: Axis = None, keepdim: bool = False) -> "Tensor":
    return self._reduce("min", axis, keepdim)

  def any(self, axis: Axis = None, keepdim: bool = False) -> "Tensor":
    return self._reduce("any", axis, keepdim)

  def all(self, axis: Axis = None, keepdim: bool = False) -> "Tensor":
    return self._reduce("all", axis, keepdim)

  def mean(self, axis: Axis = None, keepdim: bool = False) -> "Tensor":
    return self._reduce("mean", axis, keepdim)

  def logsumexp(self, axis: Axis = None, keepdim: bool = False) -> "Tensor":
    return self._reduce("logsumexp", axis, keepdim)

  def var(self, axis: Axis = None, keepdim: bool = False, correction: int = 1) -> "Tensor":
    return self._wrap(self._t.var(_axes(axis), keepdim, correction))

  def std(self, axis: Axis = None, keepdim: bool = False, correction: int = 1) -> "Tensor":
    return self._wrap(self._t.std(_axes(axis), keepdim, correction))

  def argmax(self, axis: int | None = None, keepdim: bool = False) -> "Tensor":
    """The first place of the largest, as int32."""
    return self._wrap(self._t.argmax(axis, keepdim))

  def argmin(self, axis: int | None = None, keepdim: bool = False) -> "Tensor":
    return self._wrap(self._t.argmin(axis, keepdim))

  def cumsum(self, axis: int = 0) -> "Tensor":
    return self._wrap(self._t.cumsum(axis))

  def cumprod(self, axis: int) -> "Tensor":
    return self._wrap(self._t.cumprod(axis))

  def cummax(self, axis: int = 0) -> tuple["Tensor", "Tensor"]:
    values, places = self._t.cummax(axis)
    return self._wrap(values), self._wrap(places)

  def cummin(self, axis: int = 0) -> tuple["Tensor", "Tensor"]:
    values, places = self._t.cummin(axis)
    return self._wrap(values), self._wrap(places)

  def logcumsumexp(self, axis: int = 0) -> "Tensor":
    return self._wrap(self._t.logcumsumexp(axis))

  def sort(self, dim: int = -1, descending: bool = False) -> tuple["Tensor", "Tensor"]:
    """Values in order, and their places before."""
    values, places = self._t.sort(dim, descending)
    return self._wrap(values), self._wrap(places)

  def argsort(self, dim: int = -1, descending: bool = False) -> "Tensor":
    return self.sort(dim, descending)[1]

  def topk(self, k: int, dim: int = -1, largest: bool = True, sorted_: bool = True) -> tuple["Tensor", "Tensor"]:
    values, places = self._t.topk(k, dim, largest)
    return self._wrap(values), self._wrap(places)

  # ** products, windows, networks

  def dot(self, w: "Tensor", dtype: str | None = None) -> "Tensor":
    return self._wrap(self._t.dot(w._t, dtype))

  def matmul(self, x: "Tensor", reverse: bool = False, dtype: str | None = None) -> "Tensor":
    """(..., n, k) @ (..., k, m) -> (..., n, m)."""
    a, b = (x, self) if reverse else (self, x)
    return self._wrap(a._t.matmul(b._t, dtype))

  def linear(self, weight: "Tensor", bias: "Tensor | None" = None) -> "Tensor":
    return self._wrap(self._t.linear(weight._t, bias and bias._t if bias is not None else None))

  @staticmethod
  def einsum(formula: str, *operands: Any, dtype: str | None = None) -> "Tensor":
    """Sums of products: einsum("ij,jk->ik", a, b)."""
    xs = _fixed(operands[0], operands[1:]) if operands else []
    return Tensor._wrap(_core.einsum(formula, [x._t for x in xs], dtype))

  def conv2d(self, weight: "Tensor", bias: "Tensor | None" = None, groups: int = 1, stride: Any = 1, dilation: Any = 1,
             padding: Any = 0, dtype: str | None = None) -> "Tensor":
    """(batch, in, *spatial) with weights (out, in / groups, *kernel); over one, two or more spatial axes."""
    return self._wrap(self._t.conv2d(weight._t, None if bias is None else bias._t, groups, _ints(stride), _ints(dilation), _ints(padding), dtype))

  def conv_transpose2d(self, weight: "Tensor", bias: "Tensor | None" = None, groups: int = 1, stride: Any = 1, dilation: Any = 1,
                       padding: Any = 0, output_padding: Any = 0) -> "Tensor":
    """Weights are (in, out / groups, *kernel)."""
    return self._wrap(self._t.conv_transpose2d(weight._t, None if bias is None else bias._t, groups, _ints(stride), _ints(dilation),
                                               _ints(padding), _ints(output_padding)))

  def avg_pool2d(self, kernel_size: Any = (2, 2), stride: Any = None, dilation: Any = 1, padding: Any = 0, ceil_mode: bool = False,
                 count_include_pad: bool = True) -> "Tensor":
    return self._wrap(self._t.avg_pool2d(_ints(kernel_size), None if stride is None else _ints(stride), _ints(dilation), _ints(padding),
                                         ceil_mode, count_include_pad))

  def max_pool2d(self, kernel_size: Any = (2, 2), stride: Any = None, dilation: Any = 1, padding: Any = 0, ceil_mode: bool = False,
                 return_indices: bool = False) -> Any:
    """With return_indices also the places in the flattened spatial axes."""
    args = (_ints(kernel_size), None if stride is None else _ints(stride), _ints(dilation), _ints(padding), ceil_mode)
    if not return_indices:
      return self._wrap(self._t.max_pool2d(*args))
    values, places = self._t.max_pool2d_indices(*args)
    return self._wrap(values), self._wrap(places)

  def max_unpool2d(self, indices: "Tensor", kernel_size: Any = (2, 2), stride: Any = None, dilation: Any = 1, padding: Any = 0,
                   output_size: Any = None) -> "Tensor":
    return self._wrap(self._t.max_unpool2d(indices._t, _ints(kernel_size), None if stride is None else _ints(stride), _ints(dilation),
                                           _ints(padding), None if output_size is None else [*output_size]))

  def interpolate(self, size: Sequence[int], mode: str = "linear", align_corners: bool = False) -> "Tensor":
    """The last axes resized; modes: linear, nearest, nearest-exact."""
    return self._wrap(self._t.interpolate([*size], mode, align_corners))

  def softmax(self, axis: int = -1, dtype: str | None = None) -> "Tensor":
    return self._wrap(self._t.softmax(axis, dtype))

  def log_softmax(self, axis: int = -1, dtype: str | None = None) -> "Tensor":
    return self._wrap(self._t.log_softmax(axis, dtype))

  def layernorm(self, axis: int | Sequence[int] = -1, eps: float = 1e-5) -> "Tensor":
    return self._wrap(self._t.layernorm(_ints(axis), eps))

  def groupnorm(self, groups: int, eps: float = 1e-5) -> "Tensor":
    return self._wrap(self._t.groupnorm(groups, eps))

  def normalize(self, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> "Tensor":
    return self._wrap(self._t.normalize(p, dim, eps))

  def batchnorm(self, weight: "Tensor | None", bias: "Tensor | None", mean: "Tensor", invstd: "Tensor", axis: Any = 1) -> "Tensor":
    return self._wrap(self._t.batchnorm(None if weight is None else weight._t, None if bias is None else bias._t, mean._t, invstd._t, _ints(axis)))

  def dropout(self, p: float = 0.5) -> "Tensor":
    """Does something in `with Context(TRAINING=1):` alone."""
    return self._wrap(self._t.dropout(p))

  def scaled_dot_product_attention(self, key: "Tensor", value: "Tensor", attn_mask: "Tensor | None" = None, dropout_p: float = 0.0,
                                   is_causal: bool = False, enable_gqa: bool = False) -> "Tensor":
    """This is the query: (..., length, width)."""
    return self._wrap(self._t.attention(key._t, value._t, None if attn_mask is None else attn_mask._t, dropout_p, is_causal, enable_gqa))

  def binary_crossentropy(self, Y: "Tensor", reduction: str = "mean") -> "Tensor":
    return self._wrap(self._t.binary_crossentropy(Y._t, reduction))

  def binary_crossentropy_logits(self, Y: "Tensor", reduction: str = "mean") -> "Tensor":
    return self._wrap(self._t.binary_crossentropy_logits(Y._t, reduction))

  def sparse_categorical_crossentropy(self, Y: "Tensor", ignore_index: int = -1, label_smoothing: float = 0.0,
                                      reduction: str = "mean") -> "Tensor":
    return self._wrap(self._t.sparse_categorical_crossentropy(Y._t, ignore_index, label_smoothing, reduction))

  def cross_entropy(self, Y: "Tensor", reduction: str = "mean", label_smoothing: float = 0.0) -> "Tensor":
    """Of logits with classes in axis 1 (or the only one), and class numbers or probabilities."""
    return self._wrap(self._t.cross_entropy(Y._t, reduction, label_smoothing))

  def sequential(self, ll: Sequence[Callable[["Tensor"], "Tensor"]]) -> "Tensor":
    return functools.reduce(lambda x, f: f(x), ll, self)

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
for _name, _member in [*vars(Tensor).items()]:
  if _name.startswith("_") and _name not in _DIRECT:
    continue
  if isinstance(_member, staticmethod):
    setattr(Tensor, _name, staticmethod(_located(_member.__func__)))
  elif inspect.isfunction(_member):
    setattr(Tensor, _name, _located(_member))
