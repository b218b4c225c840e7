// Losses over classes.

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

// `scores`: logarithms of probabilities, classes along axis 1; of each target, the one of its class, weighted.
Tensor loss(Call& c, const Tensor& scores, const Tensor& target, const std::optional<Tensor>& weight) {
  std::optional<int64_t> ignored;
  if (c.has_attribute("ignore_index")) ignored = c.integer("ignore_index", 0);
  return scores.nll_loss(target, weight, ignored, c.text("reduction", "mean"));
}

Values negative_log_likelihood(Call& c) {
  const Tensor x = c.x(0);
  return {as_value(loss(c, x, c.x(1), c.maybe(2)).cast(x.dtype()))};
}

Values softmax_cross_entropy(Call& c) {
  const Tensor x = c.x(0);
  const Tensor scores = x.log_softmax(1);
  return {as_value(loss(c, scores, c.x(1), c.maybe(2)).cast(x.dtype())), as_value(scores.cast(x.dtype()))};
}

}  // namespace

std::span<const Operator> loss_operators() {
  static constexpr Operator kRows[] = {
      {"NegativeLogLikelihoodLoss", negative_log_likelihood},
      {"SoftmaxCrossEntropyLoss", softmax_cross_entropy},
  };
  return kRows;
}

}  // namespace rangescope::onnx
