// Running totals (reference: mixin/op.py _cumalu, _split_cumalu and what is made with them): windows of all lengths
// that end at each place, reduced.

#include "engine/frontend/tensor.h"
#include "engine/frontend/window.h"
#include "engine/ir/scalar_alu.h"

namespace rangescope::frontend {

namespace {

constexpr int64_t kChunk = 256;  // a longer axis goes in two stages

Pads last_axis(size_t ndim, int64_t before, int64_t after) {
  Pads pads(ndim, {Dim(0), Dim(0)});
  pads.back() = {Dim(before), Dim(after)};
  return pads;
}

}  // namespace

Tensor Tensor::cumulate(int64_t axis, Op op) const {
  const int64_t n = size(axis);
  const Tensor pooled =
      transpose(axis, -1).pad_constant(last_axis(ndim(), n - 1, 0), identity_element(op, dtype())).pool({n});
  const Tensor r = op == Op::ADD ? pooled.sum(-1) : op == Op::MAX ? pooled.max(-1) : pooled.prod(-1);
  return r.transpose(axis, -1);
}

Tensor Tensor::split_cumulate(int64_t at, Op op) const {
  const int64_t axis = resolve_dim(at);
  const Ints s = sizes();
  bool empty = ndim() == 0;
  for (const int64_t d : s) empty = empty || d == 0;
  if (empty) return op == Op::ADD ? cast(sum().dtype()) : *this;
  const Scalar value = identity_element(op, dtype());
  const int64_t n = s[static_cast<size_t>(axis)];
  if (n <= 2 * kChunk) return cumulate(axis, op);
  const Tensor chunks = transpose(axis, -1)
                            .pad_constant(last_axis(ndim(), round_up(n, kChunk) - n, 0), value)
                            .unflatten(-1, {Dim(-1), Dim(kChunk)})
                            .cumulate(-1, op);
  const Tensor base =
      chunks.at({Ellipsis{}, int64_t{-1}}).cumulate(-1, op).pad_constant(last_axis(chunks.ndim() - 1, 1, -1), value);
  return chunks.alu(op, {base.unsqueeze(-1).uop()})
      .flatten(-2)
      .at({Ellipsis{}, Slice{Dim(-n), std::nullopt, std::nullopt}})
      .transpose(axis, -1);
}

Tensor Tensor::cumsum(int64_t axis) const {
  const Scope scope(context(), "cumsum");
  return split_cumulate(axis, Op::ADD);
}
Tensor Tensor::cumprod(int64_t axis) const {
  const Scope scope(context(), "cumprod");
  return split_cumulate(axis, Op::MUL);
}

std::pair<Tensor, Tensor> Tensor::cummax(int64_t axis) const {
  const Scope scope(context(), "cummax");
  const Create bools{.dtype = DType::bool_, .buffer = false};
  if (ndim() == 0)
    return {split_cumulate(axis, Op::MAX), context().zeros(shape(), {.dtype = DType::int32, .buffer = false})};
  const Tensor values = split_cumulate(axis, Op::MAX);
  const int64_t n = size(axis);
  const Tensor x = transpose(axis, -1), last = values.transpose(axis, -1);
  const Tensor match = x.unsqueeze(-1).eq(last.unsqueeze(-2)) * context().ones({n, n}, bools).triu();
  const Tensor places = match * context().arange(Scalar(n), Scalar(0), Scalar(-1)).reshape({n, 1});
  const Tensor idx = (-places.max(-2) + Scalar(n)).cast(DType::int32);
  return {values, idx.transpose(-1, axis)};
}

std::pair<Tensor, Tensor> Tensor::cummin(int64_t axis) const {
  const Scope scope(context(), "cummin");
  const auto [values, places] = inverse().cummax(axis);
  return {values.inverse(), places};
}

Tensor Tensor::logcumsumexp(int64_t axis) const {
  const Scope scope(context(), "logcumsumexp");
  if (ndim() == 0) return *this;
  const Tensor x = transpose(axis, -1);
  const int64_t n = x.size(-1);
  const Tensor most = x.cummax(-1).first.detach();
  const Tensor mask = context().ones({n, n}, {.dtype = DType::bool_, .buffer = false}).tril();
  const Tensor terms = mask.where(x.unsqueeze(-2) - most.unsqueeze(-1), dtype_min(dtype()));
  return (terms.exp().sum(-1).log() + most).transpose(-1, axis);
}

}  // namespace rangescope::frontend
