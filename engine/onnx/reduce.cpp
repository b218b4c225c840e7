// Reductions, running totals and order along axes.

#include <fmt/format.h>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

Values one(const Tensor& x, const Tensor& like) {
  return {as_value(x.cast(like.dtype()))};
}

// Axes come as an input from version 13 on for ReduceSum, and as an attribute for the others.
template <class F>
Values reduced(Call& c, F f) {
  const Tensor x = c.x();
  const auto axes = c.ints_or_attribute(1, "axes");
  const bool none = !axes || axes->empty();
  if (none && c.integer("noop_with_empty_axes", 0) != 0) return {as_value(x)};
  Axes over;
  if (!none) {
    Ints list;
    for (const int64_t a : *axes) list.push_back(Call::wrapped(a, x.ndim()));
    over = Axes(list);
  }
  return one(f(x, over, c.integer("keepdims", 1) != 0), x);
}

Tensor floats(const Tensor& x) {
  return is_float(x.dtype()) ? x : x.cast(DType::float32);
}

Values reduce_sum(Call& c) {
  return reduced(c, [](const Tensor& x, const Axes& a, bool k) { return x.sum(a, k); });
}
Values reduce_mean(Call& c) {
  return reduced(c, [](const Tensor& x, const Axes& a, bool k) { return x.mean(a, k); });
}
Values reduce_max(Call& c) {
  return reduced(c, [](const Tensor& x, const Axes& a, bool k) { return x.max(a, k); });
}
Values reduce_min(Call& c) {
  return reduced(c, [](const Tensor& x, const Axes& a, bool k) { return x.min(a, k); });
}
Values reduce_prod(Call& c) {
  return reduced(c, [](const Tensor& x, const Axes& a, bool k) { return x.prod(a, k); });
}
Values reduce_l1(Call& c) {
  return reduced(c, [](const Tensor& x, const Axes& a, bool k) { return x.abs().sum(a, k); });
}
Values reduce_l2(Call& c) {
  return reduced(c, [](const Tensor& x, const Axes& a, bool k) { return floats(x).square().sum(a, k).sqrt(); });
}
Values reduce_log_sum(Call& c) {
  return reduced(c, [](const Tensor& x, const Axes& a, bool k) { return floats(x.sum(a, k)).log(); });
}
Values reduce_log_sum_exp(Call& c) {
  return reduced(c, [](const Tensor& x, const Axes& a, bool k) { return floats(x).logsumexp(a, k); });
}
Values reduce_sum_square(Call& c) {
  return reduced(c, [](const Tensor& x, const Axes& a, bool k) { return x.square().sum(a, k); });
}

template <bool largest>
Values arg(Call& c) {
  Tensor x = c.x();
  const int64_t axis = c.axis("axis", 0, x.ndim());
  const bool keep = c.integer("keepdims", 1) != 0, last = c.integer("select_last_index", 0) != 0;
  if (last) x = x.flip({axis});
  Tensor at = (largest ? x.argmax(axis, keep) : x.argmin(axis, keep)).cast(DType::int64);
  if (last) at = Scalar(x.size(axis) - 1) - at;
  return {as_value(at.cast(DType::int64))};
}

Values cum_sum(Call& c) {
  Tensor x = c.x();
  const int64_t axis = Call::wrapped(c.integer(size_t{1}), x.ndim());
  const bool reverse = c.integer("reverse", 0) != 0;
  if (reverse) x = x.flip({axis});
  Tensor y = x.cumsum(axis);
  if (c.integer("exclusive", 0) != 0) {
    frontend::Pads pads(x.ndim(), {Dim(0), Dim(0)});
    pads[static_cast<size_t>(axis)] = {Dim(1), Dim(-1)};
    y = y.pad(pads);
  }
  if (reverse) y = y.flip({axis});
  return one(y, x);
}

Values top_k(Call& c) {
  const Tensor x = c.x();
  const int64_t axis = c.axis("axis", -1, x.ndim());
  const int64_t k = c.has(1) ? c.integer(size_t{1}) : c.integer("k", 0);
  if (k < 1 || k > x.size(axis)) Call::refuse(fmt::format("{} of {} elements", k, x.size(axis)));
  const auto [values, places] = x.topk(k, axis, c.integer("largest", 1) != 0);
  return {as_value(values.cast(x.dtype())), as_value(places.cast(DType::int64))};
}

// Before version 13 everything from the axis on is one row.
template <class F>
Values along(Call& c, F f) {
  const Tensor x = c.x();
  if (c.opset() >= 13) return one(f(x, c.axis("axis", -1, x.ndim())), x);
  const int64_t axis = c.axis("axis", 1, x.ndim());
  const Ints s = x.sizes();
  int64_t rows = 1;
  for (int64_t i = 0; i < axis; ++i) rows *= s[static_cast<size_t>(i)];
  return one(f(x.reshape({Dim(rows), Dim(-1)}), 1).reshape(x.shape()), x);
}
Values softmax(Call& c) {
  return along(c, [](const Tensor& x, int64_t axis) { return x.softmax(axis); });
}
Values log_softmax(Call& c) {
  return along(c, [](const Tensor& x, int64_t axis) { return x.log_softmax(axis); });
}
Values hardmax(Call& c) {
  return along(c, [](const Tensor& x, int64_t axis) {
    Shape place(x.ndim(), Dim(1));
    place[static_cast<size_t>(axis)] = x.shape()[static_cast<size_t>(axis)];
    const Tensor steps = x.context().arange(Scalar(x.size(axis))).reshape(place);
    return x.argmax(axis, true).eq(steps).cast(x.dtype());
  });
}

}  // namespace

std::span<const Operator> reduce_operators() {
  static constexpr Operator kRows[] = {
      {"ArgMax", arg<true>},
      {"ArgMin", arg<false>},
      {"CumSum", cum_sum},
      {"Hardmax", hardmax},
      {"LogSoftmax", log_softmax},
      {"ReduceL1", reduce_l1},
      {"ReduceL2", reduce_l2},
      {"ReduceLogSum", reduce_log_sum},
      {"ReduceLogSumExp", reduce_log_sum_exp},
      {"ReduceMax", reduce_max},
      {"ReduceMean", reduce_mean},
      {"ReduceMin", reduce_min},
      {"ReduceProd", reduce_prod},
      {"ReduceSum", reduce_sum},
      {"ReduceSumSquare", reduce_sum_square},
      {"Softmax", softmax},
      {"TopK", top_k},
  };
  return kRows;
}

}  // namespace rangescope::onnx
