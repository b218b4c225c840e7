// Losses (reference: mixin/op.py).

#include <fmt/format.h>

#include "engine/frontend/tensor.h"

namespace rangescope::frontend {

namespace {

Tensor reduced(const Tensor& t, std::string_view reduction) {
  if (reduction == "none") return t;
  if (reduction == "sum") return t.sum();
  if (reduction == "mean") return t.mean();
  throw GraphError(fmt::format("a loss is reduced by mean, sum or none, not by \"{}\"", reduction));
}

void need_smoothing(double label_smoothing) {
  if (!(label_smoothing >= 0 && label_smoothing <= 1))
    throw GraphError(fmt::format("label_smoothing is from 0 to 1, not {}", label_smoothing));
}

}  // namespace

Tensor Tensor::binary_crossentropy(const Tensor& y, std::string_view reduction) const {
  const Scope scope(context(), "binary_crossentropy");
  return reduced(-y * log() - (Scalar(1) - y) * (Scalar(1) - *this).log(), reduction);
}

Tensor Tensor::binary_crossentropy_logits(const Tensor& y, std::string_view reduction) const {
  const Scope scope(context(), "binary_crossentropy_logits");
  const Tensor log_p = logsigmoid(), log_1_minus_p = (-*this).logsigmoid();
  return reduced(-(Scalar(1) * y * log_p + (Scalar(1) - y) * log_1_minus_p), reduction);
}

Tensor Tensor::sparse_categorical_crossentropy(const Tensor& y, int64_t ignore_index, double label_smoothing,
                                               std::string_view reduction) const {
  const Scope scope(context(), "sparse_categorical_crossentropy");
  need_smoothing(label_smoothing);
  const Tensor log_probs = log_softmax();
  const Tensor counts = ignore_index != -1 ? y.ne(ignore_index) : y.const_like(true, DType::bool_);
  const Tensor hot = y.unsqueeze(-1).one_hot_along(shape().back(), -1) * counts.unsqueeze(-1);
  const Tensor smoothing = Scalar(label_smoothing) * (log_probs.mean(-1) * counts);
  const Tensor each = Scalar(1 - label_smoothing) * (log_probs * hot).sum(-1) + smoothing;
  return reduction == "mean" ? -each.sum() / counts.sum() : -reduced(each, reduction);
}

Tensor Tensor::cross_entropy(const Tensor& target, std::string_view reduction, double label_smoothing) const {
  const Scope scope(context(), "cross_entropy");
  need_smoothing(label_smoothing);
  const int64_t classes = ndim() == 1 ? 0 : 1;
  Tensor y = target;
  if (shape() != y.shape()) {
    Shape rest = shape();
    rest.erase(rest.begin() + classes);
    if (rest != y.shape())
      throw GraphError(fmt::format("cross_entropy of {} with targets of {}", rangescope::to_string(shape()),
                                   rangescope::to_string(y.shape())));
    y = y.unsqueeze(classes).one_hot_along(shape()[static_cast<size_t>(classes)], classes);
  }
  const auto n = static_cast<double>(y.size(classes));
  y = Scalar(1 - label_smoothing) * y + Scalar(label_smoothing / n);
  return -reduced(log_softmax(classes).mul(y).sum(classes), reduction);
}

Tensor Tensor::nll_loss(const Tensor& y, const std::optional<Tensor>& weight, std::optional<int64_t> ignore_index,
                        std::string_view reduction) const {
  const Scope scope(context(), "nll_loss");
  const Tensor w = weight ? weight->gather(0, y.flatten()).reshape(y.shape()) : y.const_like(1);
  const Tensor masked = ignore_index ? w * y.ne(*ignore_index) : w;
  const Tensor nll = -gather(1, y.unsqueeze(1)).squeeze(1) * masked;
  return reduction == "mean" ? nll.sum() / masked.sum() : reduced(nll, reduction);
}

}  // namespace rangescope::frontend
