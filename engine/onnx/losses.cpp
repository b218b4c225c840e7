// Losses over classes.

#include <fmt/format.h>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

// `scores`: logarithms of probabilities, classes along axis 1; of each target, the one of its class, weighted.
Tensor loss(Call& c, const Tensor& scores, const Tensor& target, const std::optional<Tensor>& weight) {
  const std::string reduction = c.text("reduction", "mean");
  const int64_t classes = scores.size(1);
  Shape place(scores.ndim(), Dim(1));
  place[1] = Dim(classes);
  const Tensor hit = target.unsqueeze(1).eq(c.context().arange(Scalar(classes)).cast(target.dtype()).reshape(place));
  const Tensor picked = hit.where(scores, 0).sum(1).neg();
  std::optional<Tensor> w;
  if (weight) w = hit.where(weight->reshape(place), 0).sum(1);
  if (c.has_attribute("ignore_index")) {
    const Tensor counts = target.ne(c.integer("ignore_index", 0)).cast(scores.dtype());
    w = w ? *w * counts : counts;
  }
  Tensor each = w ? picked * *w : picked;
  if (reduction == "none") return each;
  if (reduction == "sum") return each.sum();
  if (reduction == "mean") return w ? each.sum() / w->sum() : each.mean();
  Call::refuse(fmt::format("the reduction \"{}\"", reduction));
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
