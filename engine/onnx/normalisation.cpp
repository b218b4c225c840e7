// Normalisation over channels, rows and neighbours.

#include <fmt/format.h>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

Ints axes_but(size_t ndim, size_t first, std::optional<size_t> left_out = std::nullopt) {
  Ints axes;
  for (size_t i = first; i < ndim; ++i)
    if (i != left_out) axes.push_back(static_cast<int64_t>(i));
  return axes;
}

Values batch_normalization(Call& c) {
  const Tensor x = c.x();
  const double epsilon = c.number("epsilon", 1e-5);
  if (c.integer("spatial", 1) == 0) Call::refuse("statistics of each element (spatial=0) are not supported");
  Tensor mean = c.x(3), var = c.x(4);
  Values more;
  if (c.integer("training_mode", 0) != 0) {
    const double momentum = c.number("momentum", 0.9);
    const Axes axes(axes_but(x.ndim(), 0, 1));
    const Tensor now = x.mean(axes), spread = x.var(axes, false, 0);
    const auto mixed = [&](const Tensor& old, const Tensor& fresh) {
      return as_value((old * Scalar(momentum) + fresh * Scalar(1 - momentum)).cast(old.dtype()));
    };
    more = {mixed(mean, now), mixed(var, spread)};
    mean = now;
    var = spread;
  }
  const Tensor y = (x - by_channel(mean, x)) * by_channel((var + Scalar(epsilon)).rsqrt() * c.x(1), x);
  Values out{as_value((y + by_channel(c.x(2), x)).cast(x.dtype()))};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

// Less the mean, over the deviation; the latter two as well.
struct Normalised {
  Tensor x, mean, inverse_deviation;
};
Normalised normalised(const Tensor& x, const Ints& axes, double epsilon) {
  const Tensor mean = x.mean(Axes(axes), true);
  const Tensor apart = x - mean;
  const Tensor inverse = (apart.square().mean(Axes(axes), true) + Scalar(epsilon)).rsqrt();
  return {apart * inverse, mean, inverse};
}

Values instance_normalization(Call& c) {
  const Tensor x = c.x();
  const Tensor y = normalised(x, axes_but(x.ndim(), 2), c.number("epsilon", 1e-5)).x;
  return {as_value((y * by_channel(c.x(1), x) + by_channel(c.x(2), x)).cast(x.dtype()))};
}

Values layer_normalization(Call& c) {
  const Tensor x = c.x();
  const int64_t axis = c.axis("axis", -1, x.ndim());
  const DType inner = dtype_of_number(c.integer("stash_type", 1));
  const auto n = normalised(x.cast(inner), axes_but(x.ndim(), static_cast<size_t>(axis)), c.number("epsilon", 1e-5));
  Tensor y = n.x.cast(x.dtype()) * c.x(1);
  if (c.has(2)) y = y + c.x(2);
  return {as_value(y.cast(x.dtype())), as_value(n.mean), as_value(n.inverse_deviation)};
}

Values mean_variance_normalization(Call& c) {
  const Tensor x = c.x();
  Ints axes;
  for (const int64_t a : c.list("axes").value_or(Ints{0, 2, 3})) axes.push_back(Call::wrapped(a, x.ndim()));
  const Tensor apart = x - x.mean(Axes(axes), true);
  const Tensor deviation = apart.square().mean(Axes(axes), true).sqrt();
  return {as_value((apart / (deviation + Scalar(1e-9))).cast(x.dtype()))};
}

Values lp_normalization(Call& c) {
  const Tensor x = c.x();
  const int64_t axis = c.axis("axis", -1, x.ndim()), p = c.integer("p", 2);
  if (p != 1 && p != 2) Call::refuse(fmt::format("p={}", p));
  const Tensor norm = p == 1 ? x.abs().sum(axis, true) : x.square().sum(axis, true).sqrt();
  return {as_value(norm.eq(0).where(0, x / norm).cast(x.dtype()))};
}

Values lrn(Call& c) {
  const Tensor x = c.x();
  const int64_t size = c.integer("size", 0);
  if (size < 1 || x.ndim() < 2) Call::refuse("it needs channels and a size");
  frontend::Pads pads(x.ndim(), {Dim(0), Dim(0)});
  pads[1] = {Dim((size - 1) / 2), Dim(size - 1 - (size - 1) / 2)};
  const Tensor sums = x.square().pad(pads).unfold(1, size, 1).sum(-1);
  const Tensor base =
      sums * Scalar(c.number("alpha", 1e-4) / static_cast<double>(size)) + Scalar(c.number("bias", 1.0));
  return {as_value((x / base.pow(c.number("beta", 0.75))).cast(x.dtype()))};
}

}  // namespace

Tensor by_channel(const Tensor& t, const Tensor& x) {
  Shape shape(x.ndim(), Dim(1));
  shape[x.ndim() > 1 ? 1 : 0] = Dim(-1);
  return t.reshape(shape);
}

std::span<const Operator> normalisation_operators() {
  static constexpr Operator kRows[] = {
      {"BatchNormalization", batch_normalization},
      {"InstanceNormalization", instance_normalization},
      {"LRN", lrn},
      {"LayerNormalization", layer_normalization},
      {"LpNormalization", lp_normalization},
      {"MeanVarianceNormalization", mean_variance_normalization},
  };
  return kRows;
}

}  // namespace rangescope::onnx
