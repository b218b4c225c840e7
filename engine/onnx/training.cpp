// Steps of optimisers (ai.onnx.preview.training): the rate and the count of steps, then for all tensors their values,
// then their gradients, then what the optimiser keeps of each.

#include <fmt/format.h>

#include <cmath>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

constexpr const char* kDomain = "ai.onnx.preview.training";

struct Update {
  Tensor rate, count;
  size_t tensors;
  Tensor of(const Call& c, size_t kind, size_t i) const { return c.x(2 + kind * tensors + i); }
};

Update step_of(const Call& c, size_t kinds) {
  if (c.count() < 2 + kinds || (c.count() - 2) % kinds != 0) Call::refuse("it has too few inputs");
  return {c.x(0), c.x(1), (c.count() - 2) / kinds};
}

// Results are grouped by kind too.
Values grouped(const std::vector<std::vector<Tensor>>& by_kind) {
  Values out;
  for (const auto& kind : by_kind)
    for (const Tensor& t : kind) out.push_back(as_value(t));
  return out;
}

Values adagrad(Call& c) {
  const Update s = step_of(c, 3);
  const double decay = c.number("decay_factor", 0.0), epsilon = c.number("epsilon", 1e-6),
               norm = c.number("norm_coefficient", 0.0);
  const Tensor rate = s.rate / (s.count.cast(DType::float32) * Scalar(decay) + Scalar(1.0));
  std::vector<std::vector<Tensor>> out(2);
  for (size_t i = 0; i < s.tensors; ++i) {
    const Tensor x = s.of(c, 0, i);
    const Tensor g = x * Scalar(norm) + s.of(c, 1, i);
    const Tensor h = (s.of(c, 2, i) + g.square()).cast(x.dtype());
    out[0].push_back((x - rate * g / (h.sqrt() + Scalar(epsilon))).cast(x.dtype()));
    out[1].push_back(h);
  }
  return grouped(out);
}

Values adam(Call& c) {
  const Update s = step_of(c, 4);
  const double alpha = c.number("alpha", 0.9), beta = c.number("beta", 0.999), epsilon = c.number("epsilon", 1e-6),
               norm = c.number("norm_coefficient", 0.0), after = c.number("norm_coefficient_post", 0.0);
  const Tensor t = s.count.cast(DType::float32);
  const auto power = [&](double base) { return (t * Scalar(std::log(base))).exp(); };
  const Tensor corrected = s.rate * (Scalar(1.0) - power(beta)).sqrt() / (Scalar(1.0) - power(alpha));
  const Tensor rate = t.gt(0).where(corrected, s.rate);
  std::vector<std::vector<Tensor>> out(3);
  for (size_t i = 0; i < s.tensors; ++i) {
    const Tensor x = s.of(c, 0, i);
    const Tensor g = x * Scalar(norm) + s.of(c, 1, i);
    const Tensor v = (s.of(c, 2, i) * Scalar(alpha) + g * Scalar(1 - alpha)).cast(x.dtype());
    const Tensor h = (s.of(c, 3, i) * Scalar(beta) + g.square() * Scalar(1 - beta)).cast(x.dtype());
    const Tensor y = x - rate * v / (h.sqrt() + Scalar(epsilon));
    out[0].push_back((y * Scalar(1 - after)).cast(x.dtype()));
    out[1].push_back(v);
    out[2].push_back(h);
  }
  return grouped(out);
}

Values momentum(Call& c) {
  const Update s = step_of(c, 3);
  const double alpha = c.number("alpha", 0.0), beta = c.number("beta", 0.0), norm = c.number("norm_coefficient", 0.0);
  const std::string mode = c.text("mode", "standard");
  if (mode != "standard" && mode != "nesterov") Call::refuse(fmt::format("the mode \"{}\"", mode));
  const Tensor first = s.count.gt(0).where(c.number_like(s.rate, beta), c.number_like(s.rate, 1.0));
  std::vector<std::vector<Tensor>> out(2);
  for (size_t i = 0; i < s.tensors; ++i) {
    const Tensor x = s.of(c, 0, i);
    const Tensor g = x * Scalar(norm) + s.of(c, 1, i);
    const Tensor v = (s.of(c, 2, i) * Scalar(alpha) + g * first).cast(x.dtype());
    const Tensor step = mode == "nesterov" ? g + v * Scalar(alpha) : v;
    out[0].push_back((x - s.rate * step).cast(x.dtype()));
    out[1].push_back(v);
  }
  return grouped(out);
}

}  // namespace

std::span<const Operator> training_operators() {
  static constexpr Operator kRows[] = {
      {"Adagrad", adagrad, kDomain},
      {"Adam", adam, kDomain},
      {"Momentum", momentum, kDomain},
  };
  return kRows;
}

}  // namespace rangescope::onnx
