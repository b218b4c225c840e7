"""Reductions of a tensor over one axis, several, or all; running ones; order."""
from __future__ import annotations

from typing import TYPE_CHECKING

from .arguments import Axis, int_list_or_none

if TYPE_CHECKING:
  from .tensor import Tensor


class Reductions:
  __slots__ = ()

  def _reduce(self, name: str, axis: Axis, keepdim: bool) -> "Tensor":
    return self._wrap(self._t.reduce(name, int_list_or_none(axis), keepdim))

  def sum(self, axis: Axis = None, keepdim: bool = False, dtype: str | None = None) -> "Tensor":
    """Integers are summed in int32 at least, halves in float32; `dtype` says otherwise."""
    return self._wrap(self._t.sum(int_list_or_none(axis), keepdim, dtype))

  def prod(self, axis: Axis = None, keepdim: bool = False, dtype: str | None = None) -> "Tensor":
    return self._wrap(self._t.prod(int_list_or_none(axis), keepdim, dtype))

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
    return self._wrap(self._t.var(int_list_or_none(axis), keepdim, correction))

  def std(self, axis: Axis = None, keepdim: bool = False, correction: int = 1) -> "Tensor":
    return self._wrap(self._t.std(int_list_or_none(axis), keepdim, correction))

  def var_mean(self, axis: Axis = None, keepdim: bool = False, correction: int = 1) -> tuple["Tensor", "Tensor"]:
    return self.var(axis, keepdim, correction), self.mean(axis, keepdim)

  def std_mean(self, axis: Axis = None, keepdim: bool = False, correction: int = 1) -> tuple["Tensor", "Tensor"]:
    return self.std(axis, keepdim, correction), self.mean(axis, keepdim)

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
