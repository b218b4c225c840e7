// Softmax and the norms (reference: mixin/op.py).

#include <fmt/format.h>

#include <algorithm>

#include "engine/frontend/tensor.h"

namespace rangescope::frontend {

namespace {

struct Softmax {
  Tensor shifted, exponentials, sum;
};

// Shifted by the largest, so that nothing overflows; no gradient goes through the shift.
Softmax softmax_of(const Tensor& x, int64_t axis, std::optional<DType> dt) {
  Tensor m = x - x.max(axis, true).detach();
  if (dt) m = m.cast(*dt);
  const Tensor e = m.exp();
  return {m, e, e.sum(axis, true)};
}

}  // namespace

Tensor Tensor::softmax(int64_t axis, std::optional<DType> dt) const {
  const Scope scope(context(), "softmax");
  const Softmax s = softmax_of(*this, axis, dt);
  return s.exponentials * s.sum.reciprocal();
}

Tensor Tensor::log_softmax(int64_t axis, std::optional<DType> dt) const {
  const Scope scope(context(), "log_softmax");
  const Softmax s = softmax_of(*this, axis, dt);
  return s.shifted - s.sum.log();
}

Tensor Tensor::layernorm(const Ints& axes, double eps) const {
  const Scope scope(context(), "layernorm");
  const Tensor y = *this - mean(Axes(axes), true);
  return y.mul((y * y).mean(Axes(axes), true).add(eps).rsqrt());
}

Tensor Tensor::groupnorm(int64_t groups, double eps) const {
  const Scope scope(context(), "groupnorm");
  if (ndim() < 2 || groups < 1 || size(1) % groups != 0)
    throw GraphError(fmt::format("groupnorm: the channels of {} do not divide into {} groups",
                                 rangescope::to_string(shape()), groups));
  return reshape({shape()[0], Dim(groups), Dim(-1)}).layernorm({-1}, eps).reshape(shape());
}

Tensor Tensor::batchnorm(const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, const Tensor& mean,
                         const Tensor& invstd, const Ints& axes) const {
  const Scope scope(context(), "batchnorm");
  Shape to(ndim(), Dim(1));
  for (const int64_t a : axes) {
    const auto d = static_cast<size_t>(resolve_dim(a));
    to.at(d) = shape()[d];
  }
  Tensor x = *this - mean.reshape(to);
  if (weight) x = x * weight->reshape(to);
  const Tensor ret = x.mul(invstd.ndim() == axes.size() ? invstd.reshape(to) : invstd);
  return bias ? ret + bias->reshape(to) : ret;
}

}  // namespace rangescope::frontend
