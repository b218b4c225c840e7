"""Products, windows, and what networks are made of."""
from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, Sequence

from .arguments import int_list, int_list_or_none, window

if TYPE_CHECKING:
  from .tensor import Tensor


class Networks:
  __slots__ = ()

  def dot(self, w: "Tensor", dtype: str | None = None) -> "Tensor":
    return self._wrap(self._t.dot(w._t, dtype))

  def matmul(self, x: "Tensor", reverse: bool = False, dtype: str | None = None) -> "Tensor":
    """(..., n, k) @ (..., k, m) -> (..., n, m)."""
    a, b = (x, self) if reverse else (self, x)
    return self._wrap(a._t.matmul(b._t, dtype))

  def linear(self, weight: "Tensor", bias: "Tensor | None" = None) -> "Tensor":
    return self._wrap(self._t.linear(weight._t, None if bias is None else bias._t))

  def conv2d(self, weight: "Tensor", bias: "Tensor | None" = None, groups: int = 1, stride: Any = 1, dilation: Any = 1,
             padding: Any = 0, dtype: str | None = None) -> "Tensor":
    """(batch, in, *spatial) with weights (out, in / groups, *kernel); over one, two or more spatial axes."""
    return self._wrap(self._t.conv2d(weight._t, None if bias is None else bias._t, groups, int_list(stride), int_list(dilation), int_list(padding), dtype))

  def conv_transpose2d(self, weight: "Tensor", bias: "Tensor | None" = None, groups: int = 1, stride: Any = 1, dilation: Any = 1,
                       padding: Any = 0, output_padding: Any = 0) -> "Tensor":
    """Weights are (in, out / groups, *kernel)."""
    return self._wrap(self._t.conv_transpose2d(weight._t, None if bias is None else bias._t, groups, int_list(stride), int_list(dilation),
                                               int_list(padding), int_list(output_padding)))

  def avg_pool2d(self, kernel_size: Any = (2, 2), stride: Any = None, dilation: Any = 1, padding: Any = 0, ceil_mode: bool = False,
                 count_include_pad: bool = True) -> "Tensor":
    return self._wrap(self._t.avg_pool2d(window(kernel_size), int_list_or_none(stride), int_list(dilation), int_list(padding),
                                         ceil_mode, count_include_pad))

  def max_pool2d(self, kernel_size: Any = (2, 2), stride: Any = None, dilation: Any = 1, padding: Any = 0, ceil_mode: bool = False,
                 return_indices: bool = False) -> Any:
    """With return_indices also the places in the flattened spatial axes."""
    args = (window(kernel_size), int_list_or_none(stride), int_list(dilation), int_list(padding), ceil_mode)
    if not return_indices:
      return self._wrap(self._t.max_pool2d(*args))
    values, places = self._t.max_pool2d_indices(*args)
    return self._wrap(values), self._wrap(places)

  def max_unpool2d(self, indices: "Tensor", kernel_size: Any = (2, 2), stride: Any = None, dilation: Any = 1, padding: Any = 0,
                   output_size: Any = None) -> "Tensor":
    return self._wrap(self._t.max_unpool2d(indices._t, window(kernel_size), int_list_or_none(stride), int_list(dilation),
                                           int_list(padding), None if output_size is None else [*output_size]))

  def interpolate(self, size: Sequence[int], mode: str = "linear", align_corners: bool = False) -> "Tensor":
    """The last axes resized; modes: linear, nearest, nearest-exact."""
    return self._wrap(self._t.interpolate([*size], mode, align_corners))

  def softmax(self, axis: int = -1, dtype: str | None = None) -> "Tensor":
    return self._wrap(self._t.softmax(axis, dtype))

  def softmin(self, axis: int = -1, dtype: str | None = None) -> "Tensor":
    return (-self).softmax(axis, dtype)

  def log_softmax(self, axis: int = -1, dtype: str | None = None) -> "Tensor":
    return self._wrap(self._t.log_softmax(axis, dtype))

  def layernorm(self, axis: int | Sequence[int] = -1, eps: float = 1e-5) -> "Tensor":
    return self._wrap(self._t.layernorm(int_list(axis), eps))

  def groupnorm(self, groups: int, eps: float = 1e-5) -> "Tensor":
    return self._wrap(self._t.groupnorm(groups, eps))

  def normalize(self, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> "Tensor":
    return self._wrap(self._t.normalize(p, dim, eps))

  def batchnorm(self, weight: "Tensor | None", bias: "Tensor | None", mean: "Tensor", invstd: "Tensor", axis: Any = 1) -> "Tensor":
    return self._wrap(self._t.batchnorm(None if weight is None else weight._t, None if bias is None else bias._t, mean._t, invstd._t, int_list(axis)))

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

  def nll_loss(self, Y: "Tensor", weight: "Tensor | None" = None, ignore_index: int | None = None, reduction: str = "mean") -> "Tensor":
    """Of log-probabilities with classes in axis 1, and class numbers; `weight` is of each class. Reductions: mean, sum, none."""
    if reduction not in ("mean", "sum", "none"):
      raise ValueError(f"there is no reduction {reduction!r}; there are mean, sum, none")
    counts = Y.ones_like() if weight is None else weight.gather(0, Y.flatten()).reshape(*Y.shape)
    if ignore_index is not None:
      counts = counts * (Y != ignore_index)
    loss = -self.gather(1, Y.unsqueeze(1)).squeeze(1) * counts
    return loss.sum() / counts.sum() if reduction == "mean" else loss.sum() if reduction == "sum" else loss

  def sequential(self, ll: Sequence[Callable[["Tensor"], "Tensor"]]) -> "Tensor":
    return functools.reduce(lambda x, f: f(x), ll, self)
