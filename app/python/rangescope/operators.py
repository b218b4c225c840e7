"""A tensor's operators and functions of each element; those of one form are in tensor.py's table."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arguments import Number

if TYPE_CHECKING:
  from .tensor import Tensor


class Operators:
  __slots__ = ()

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
  def __rmatmul__(self, x: Any) -> "Tensor": return type(self)(x).matmul(self)
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
