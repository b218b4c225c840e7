"""Views of a tensor, and tensors joined or split: no element is computed."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

from .arguments import Number, int_list, int_list_or_none, listed

if TYPE_CHECKING:
  from .tensor import Tensor


class Movement:
  __slots__ = ()

  def reshape(self, shape: Any, *more: int) -> "Tensor":
    """The same elements in another shape; one size may be -1, None keeps one."""
    return self._wrap(self._t.reshape([self.shape[i] if s is None else s for i, s in enumerate(listed((shape, *more)))]))

  def view(self, shape: Any, *more: int) -> "Tensor":
    return self.reshape(shape, *more)

  def expand(self, shape: Any, *more: int) -> "Tensor":
    """Axes of size 1 repeated; -1 or None keeps one."""
    return self._wrap(self._t.expand([-1 if s is None else s for s in listed((shape, *more))]))

  def permute(self, order: Any, *more: int) -> "Tensor":
    return self._wrap(self._t.permute(listed((order, *more))))

  def transpose(self, dim0: int = 1, dim1: int = 0) -> "Tensor":
    return self._wrap(self._t.transpose(dim0, dim1))

  def flip(self, axis: Any, *more: int) -> "Tensor":
    return self._wrap(self._t.flip(listed((axis, *more))))

  def shrink(self, arg: Sequence[tuple[int, int] | None]) -> "Tensor":
    """A part of each axis, from begin to end; None keeps it."""
    return self._wrap(self._t.shrink([*arg]))

  def pad(self, padding: Sequence[Any], mode: str = "constant", value: Number = 0.0) -> "Tensor":
    """Elements before and after: a pair an axis (None: none), or flat, the last axis first. Modes: constant, reflect,
    replicate, circular. Negative numbers cut."""
    if any(p is None or isinstance(p, (tuple, list)) for p in padding):
      return self._wrap(self._t.pad([None if p is None else tuple(p) for p in padding], mode, value))
    return self._wrap(self._t.pad_flat([*padding], mode, value))

  def shrink_to(self, *shape: Any) -> "Tensor":
    """The first elements of each axis, as many as are said; None keeps it."""
    sizes = listed(shape)
    return self.shrink([None if n is None else (0, n) for n in sizes])

  def pad_to(self, *shape: Any, value: Number = 0.0) -> "Tensor":
    """Elements behind each axis until it has as many as are said; None keeps it."""
    sizes = listed(shape)
    if len(sizes) != len(self.shape):
      raise ValueError(f"pad_to of {len(self.shape)} axes to {len(sizes)}")
    return self.pad([None if n is None else (0, n - have) for n, have in zip(sizes, self.shape)], value=value)

  def squeeze(self, dim: int | None = None) -> "Tensor":
    return self._wrap(self._t.squeeze(dim))

  def unsqueeze(self, dim: int) -> "Tensor":
    return self._wrap(self._t.unsqueeze(dim))

  def flatten(self, start_dim: int = 0, end_dim: int = -1) -> "Tensor":
    return self._wrap(self._t.flatten(start_dim, end_dim))

  def unflatten(self, dim: int, sizes: Sequence[int]) -> "Tensor":
    return self._wrap(self._t.unflatten(dim, [*sizes]))

  def repeat(self, repeats: Any, *more: int) -> "Tensor":
    return self._wrap(self._t.repeat(listed((repeats, *more))))

  def repeat_interleave(self, repeats: int, dim: int | None = None) -> "Tensor":
    return self._wrap(self._t.repeat_interleave(repeats, dim))

  def roll(self, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> "Tensor":
    return self._wrap(self._t.roll(int_list(shifts), int_list_or_none(dims)))

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
    first, *more = listed((self, *args))
    return self._wrap(first._t.stack([t._t for t in more], dim))

  def cat(self, *args: Any, dim: int = 0) -> "Tensor":
    """Tensors joined along an axis that they have."""
    first, *more = listed((self, *args))
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
