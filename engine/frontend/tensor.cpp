// What a tensor is, and the pieces that its methods are made of.

#include "engine/frontend/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace rangescope::frontend {

Ints Tensor::sizes() const {
  Ints out;
  for (const Dim& d : shape()) {
    if (!d.is_int())
      throw GraphError(fmt::format("this needs known sizes, but the shape is {}; bind its variables or fix them",
                                   to_string(shape())));
    out.push_back(d.value);
  }
  return out;
}

int64_t Tensor::size(int64_t axis) const {
  return sizes().at(static_cast<size_t>(resolve_dim(axis)));
}

int64_t Tensor::numel() const {
  const Ints s = sizes();
  return std::accumulate(s.begin(), s.end(), int64_t{1}, std::multiplies<>());
}

int64_t Tensor::element_size() const {
  if (is_weak(dtype()))
    throw GraphError(fmt::format("an element of {} has no size; cast it to a dtype that has one", dtype_name(dtype())));
  return itemsize(dtype());
}

int64_t Tensor::resolve_dim(int64_t axis) const {
  const auto total = static_cast<int64_t>(ndim());
  const int64_t limit = std::max<int64_t>(1, total);
  if (axis < -limit || axis >= limit)
    throw GraphError(fmt::format("axis {} is out of range for a tensor of shape {}: it can be {} to {}", axis,
                                 to_string(shape()), -limit, limit - 1));
  return axis < 0 ? axis + total : axis;
}

Tensor Tensor::wrap(UOp u) const {
  return context().tensor(u);
}

Tensor Tensor::ufix(const Operand& x) const {
  if (const Tensor* t = x.tensor()) {
    if (&t->context() != &context()) throw GraphError("two tensors of different sessions cannot meet");
    return *t;
  }
  return context().scalar(x.number());
}

}  // namespace rangescope::frontend
