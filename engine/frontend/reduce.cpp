// Reductions (reference: mixin/reduce.py, and those of mixin/op.py).

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/frontend/tensor.h"

namespace rangescope::frontend {

namespace {

DType float_result(DType dtype) {
  return is_float(dtype) ? dtype : DType::float32;
}

// How many elements go into one of the result.
Dim reduced_count(const Tensor& t, const Axes& axes) {
  Dim n = 1;
  for (const int64_t a : t.reduce_axes(axes)) {
    const Dim& d = t.shape()[static_cast<size_t>(a)];
    if (!(d == Dim(1))) n = n * d;
  }
  return n;
}

Tensor divided(const Tensor& sum, const Dim& count) {
  return count.is_int() ? sum.div(count.value) : sum.div(sum.wrap(count.sym));
}

}  // namespace

Ints Tensor::reduce_axes(const Axes& axes) const {
  Ints out;
  if (!axes.list) {
    out.resize(ndim());
    std::iota(out.begin(), out.end(), 0);
  } else {
    for (const int64_t a : *axes.list) out.push_back(resolve_dim(a));
  }
  if (ndim() == 0) out.clear();
  Ints sorted = out;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) throw GraphError("a reduction names each axis at most once");
  return out;
}

Tensor Tensor::reduce(Op op, const Axes& axes, bool keepdim) const {
  const Tensor x = cast(strong_dtype(dtype()));
  const Ints axis = x.reduce_axes(axes);
  Tensor ret = wrap(x.uop().rop(op, axis));
  if (!keepdim) return ret;
  Shape kept = x.shape();
  for (const int64_t a : axis) kept[static_cast<size_t>(a)] = Dim(1);
  return ret.reshape(kept);
}

Tensor Tensor::sum(const Axes& axes, bool keepdim, std::optional<DType> dt) const {
  const Scope scope(context(), "sum");
  Tensor ret = cast(dt.value_or(sum_acc_dtype(dtype()))).reduce(Op::ADD, axes, keepdim);
  const bool narrow = (dtypes::fp8s | DTypeSet{DType::float16, DType::bfloat16}).contains(dtype());
  return !dt && narrow ? ret.cast(dtype()) : ret;
}

Tensor Tensor::prod(const Axes& axes, bool keepdim, std::optional<DType> dt) const {
  const Scope scope(context(), "prod");
  return cast(dt.value_or(dtype())).reduce(Op::MUL, axes, keepdim);
}

Tensor Tensor::max(const Axes& axes, bool keepdim) const {
  const Scope scope(context(), "max");
  return reduce(Op::MAX, axes, keepdim);
}
Tensor Tensor::min(const Axes& axes, bool keepdim) const {
  const Scope scope(context(), "min");
  return inverse().max(axes, keepdim).inverse();
}
Tensor Tensor::any(const Axes& axes, bool keepdim) const {
  const Scope scope(context(), "any");
  return cast(DType::bool_).max(axes, keepdim);
}
Tensor Tensor::all(const Axes& axes, bool keepdim) const {
  const Scope scope(context(), "all");
  return cast(DType::bool_).prod(axes, keepdim);
}

Tensor Tensor::mean(const Axes& axes, bool keepdim) const {
  const Scope scope(context(), "mean");
  const Tensor numerator = cast(sum_acc_dtype(dtype())).sum(axes, keepdim);
  return divided(numerator, reduced_count(*this, axes)).cast(float_result(dtype()));
}

Tensor Tensor::var(const Axes& axes, bool keepdim, int64_t correction) const {
  const Scope scope(context(), "var");
  const Tensor squares = (*this - mean(axes, true)).square();
  const Dim n = reduced_count(squares, axes);
  if (!n.is_int()) throw GraphError("var needs known sizes");
  const Tensor numerator = squares.cast(sum_acc_dtype(dtype())).sum(axes, keepdim);
  return numerator.div(std::max<int64_t>(n.value - correction, 0)).cast(float_result(dtype()));
}

Tensor Tensor::std(const Axes& axes, bool keepdim, int64_t correction) const {
  const Scope scope(context(), "std");
  return var(axes, keepdim, correction).sqrt();
}

Tensor Tensor::argmax(std::optional<int64_t> axis, bool keepdim) const {
  const Scope scope(context(), "argmax");
  if (!axis) {
    const Tensor r = flatten().argmax(0);
    return keepdim ? r.reshape(Shape(ndim(), Dim(1))) : r;
  }
  const int64_t d = resolve_dim(*axis);
  if (ndim() == 0) return wrap(context().store().constant(Scalar(0), DType::int32));
  const int64_t n = size(d);
  const Tensor m = eq(max(d, true));
  Shape places(ndim() - static_cast<size_t>(d), Dim(1));
  places[0] = Dim(n);
  const Tensor idx = m * context().arange(Scalar(n), Scalar(0), Scalar(-1)).reshape(places);
  return (Scalar(n) - idx.max(d, keepdim)).cast(DType::int32);
}

Tensor Tensor::argmin(std::optional<int64_t> axis, bool keepdim) const {
  const Scope scope(context(), "argmin");
  return inverse().argmax(axis, keepdim);
}

Tensor Tensor::logsumexp(const Axes& axes, bool keepdim) const {
  const Scope scope(context(), "logsumexp");
  const Tensor m = max(axes, true).detach();
  const Tensor s = (*this - m).exp().sum(axes, keepdim).log();
  if (keepdim) return s + m;
  Shape rest;
  const Ints gone = reduce_axes(axes);
  for (size_t i = 0; i < ndim(); ++i)
    if (std::ranges::find(gone, static_cast<int64_t>(i)) == gone.end()) rest.push_back(shape()[i]);
  return s + m.reshape(rest);
}

Tensor Tensor::normalize(double p, int64_t axis, double eps) const {
  const Scope scope(context(), "normalize");
  const Tensor norm = p == 0 ? ne(0).sum(axis, true) : abs().pow(p).sum(axis, true).pow(1 / p);
  return *this / norm.maximum(eps);
}

}  // namespace rangescope::frontend
