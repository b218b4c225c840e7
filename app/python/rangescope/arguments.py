"""What callers may write for a size, an axis, a device."""
from __future__ import annotations

from typing import Any, Sequence, Union

Number = Union[int, float, bool]
Axis = Union[int, Sequence[int], None]
Device = Union[str, Sequence[str], None]


def listed(args: tuple) -> list:
  """Sizes, axes or tensors that came as one sequence or as several arguments."""
  return [*args[0]] if len(args) == 1 and isinstance(args[0], (tuple, list)) else [*args]


def window(kernel_size: Any) -> list[int]:
  """Of a pooling: one number is a square."""
  return [kernel_size, kernel_size] if isinstance(kernel_size, int) else [*kernel_size]


def int_list_or_none(axis: Axis) -> list[int] | None:
  return None if axis is None else [axis] if isinstance(axis, int) else [*axis]


def int_list(v: int | Sequence[int]) -> list[int]:
  return [v] if isinstance(v, int) else [*v]
