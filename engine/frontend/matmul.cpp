// Matrix products (reference: mixin/op.py dot, matmul, linear): a product over all pairs, summed.

#include <fmt/format.h>

#include <algorithm>

#include "engine/frontend/tensor.h"
#include "engine/ir/dtype_rules.h"

namespace rangescope::frontend {

Tensor Tensor::dot(const Tensor& other, std::optional<DType> dt) const {
  const Scope scope(context(), "dot");
  const size_t dx = ndim(), dw = other.ndim();
  if (dx == 0 || dw == 0)
    throw GraphError(fmt::format("a matrix product needs tensors of 1 axis at least, not of {} and {}", dx, dw));
  const int64_t axis = -static_cast<int64_t>(std::min<size_t>(dw, 2));
  const Shape& xs = shape();
  const Shape& ws = other.shape();
  if (!must_be_equal(xs.back(), ws[dw - std::min<size_t>(dw, 2)]))
    throw GraphError(
        fmt::format("a matrix product of {} and {}: the last axis of the first must be as long as the "
                    "second to last of the other",
                    rangescope::to_string(xs), rangescope::to_string(ws)));
  const size_t between = std::min({dx - 1, dw - 1, size_t{1}});
  Shape to_x(xs.begin(), xs.end() - 1),
      to_w(ws.begin(), ws.end() - static_cast<std::ptrdiff_t>(std::min<size_t>(dw, 2)));
  to_x.insert(to_x.end(), between, Dim(1));
  to_x.push_back(xs.back());
  to_w.insert(to_w.end(), between, Dim(1));
  to_w.insert(to_w.end(), ws.end() - static_cast<std::ptrdiff_t>(std::min<size_t>(dw, 2)), ws.end());
  const Tensor x = reshape(to_x), w = other.reshape(to_w).transpose(-1, axis);
  return (x * w).sum(-1, false, dt).cast(dt.value_or(least_upper_dtype(x.dtype(), w.dtype())));
}

Tensor Tensor::matmul(const Tensor& w, std::optional<DType> dt) const {
  const Scope scope(context(), "matmul");
  return dot(w, dt);
}

Tensor Tensor::linear(const Tensor& weight, const std::optional<Tensor>& bias) const {
  const Scope scope(context(), "linear");
  const Tensor x = weight.ndim() == 1 ? mul(weight) : dot(weight);
  return bias ? x + *bias : x;
}

}  // namespace rangescope::frontend
