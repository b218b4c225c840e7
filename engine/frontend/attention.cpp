// Attention and dropout (reference: mixin/rand.py).

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "engine/frontend/tensor.h"

namespace rangescope::frontend {

Tensor Tensor::dropout(double p) const {
  const Scope scope(context(), "dropout");
  if (!(p >= 0 && p <= 1)) throw GraphError(fmt::format("dropout of a share from 0 to 1, not {}", p));
  if (!context().training || p == 0) return *this;
  if (p == 1) return const_like(0);
  const Tensor kept = rand_like({.dtype = dtypes::default_float}, false).ge(p).contiguous();
  return kept.where(*this, 0) / Scalar(1.0 - p);
}

Tensor Tensor::scaled_dot_product_attention(const Tensor& k, const Tensor& v, const std::optional<Tensor>& given,
                                            double dropout_p, bool is_causal, bool enable_gqa) const {
  const Scope scope(context(), "scaled_dot_product_attention");
  if (ndim() < 2 || k.ndim() < 2 || v.ndim() < 2) throw GraphError("attention needs tensors of 2 axes at least");
  Tensor key = k, value = v;
  if (enable_gqa) {
    if (ndim() < 3 || key.ndim() < 3 || key.size(-3) == 0 || size(-3) % key.size(-3) != 0)
      throw GraphError("grouped attention needs heads that are a multiple of those of the key");
    key = key.repeat_interleave(size(-3) / k.size(-3), -3);
    value = value.repeat_interleave(size(-3) / v.size(-3), -3);
  }
  const DType wide = least_upper_dtype(least_upper_dtype(dtype(), key.dtype()), DType::float32);
  Tensor qk = matmul(key.transpose(-2, -1), wide) / Scalar(std::sqrt(static_cast<double>(size(-1))));
  std::optional<Tensor> mask = given;
  if (is_causal) {
    if (mask) throw GraphError("attention is causal or has a mask, not both");
    mask = qk.const_like(true, DType::bool_).tril();
  }
  if (mask) {
    if (mask->dtype() == DType::bool_) mask = mask->where(0, -kInf);
    qk = qk + *mask;
  }
  return qk.cast(dtype()).softmax(-1).dropout(dropout_p).matmul(value);
}

}  // namespace rangescope::frontend
