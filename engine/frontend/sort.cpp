// Sorting by a bitonic network (reference: mixin/op.py sort): every stage is elementwise, on views of the halves that
// are compared. Places come from counting equal values up to each place, before and after.

#include <bit>

#include "engine/frontend/tensor.h"
#include "engine/ir/scalar_alu.h"

namespace rangescope::frontend {

std::pair<Tensor, Tensor> Tensor::sort(int64_t axis, bool descending) const {
  const Scope scope(context(), "sort");
  const int64_t dim = resolve_dim(axis);
  const auto d = static_cast<size_t>(dim);
  const int64_t n = ndim() == 0 ? 1 : size(dim);
  if (n <= 1) return {*this, const_like(0, dtypes::default_int)};
  const auto stages = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(n - 1)));
  const int64_t padded = int64_t{1} << stages;
  Pads pads(ndim(), {Dim(0), Dim(0)});
  pads[d] = {Dim(0), Dim(padded - n)};
  Tensor x = pad_constant(pads, descending ? dtype_min(dtype()) : dtype_max(dtype()))
                 .unflatten(dim, Shape(static_cast<size_t>(stages), Dim(2)));
  for (int64_t stage = 1; stage <= stages; ++stage) {
    const int64_t crossover = dim + stages - stage - 1;
    Ints flipped;
    for (int64_t i = 1; i < stage + 1 + (static_cast<int64_t>(ndim()) - dim); ++i) flipped.push_back(-i);
    if (stage != stages) {  // the second half runs the other way
      const auto halves = x.split(1, crossover);
      x = halves[0].cat({halves[1].flip(flipped)}, crossover).contiguous();
    }
    for (int64_t sub = stage - 1; sub >= 0; --sub) {
      const int64_t partner = dim + stages - sub - 1;
      const auto halves = x.split(1, partner);
      const Tensor larger = halves[0].maximum(halves[1]), smaller = halves[0].minimum(halves[1]);
      x = (descending ? larger.cat({smaller}, partner) : smaller.cat({larger}, partner)).contiguous();
    }
    if (stage != stages) {
      const auto halves = x.split(1, crossover);
      x = halves[0].cat({halves[1].flip(flipped)}, crossover);
    }
  }
  std::vector<std::optional<Dim>> own;
  for (const Dim& s : shape()) own.emplace_back(s);
  x = x.flatten(dim, dim + stages - 1).shrink_to(own);

  Shape last{Dim(n), Dim(n)};
  last.insert(last.end(), ndim() - d - 1, Dim(1));
  const Tensor mask = context().ones({n, n}, {.dtype = DType::bool_, .buffer = false}).tril().reshape(last);
  const auto counts = [&](const Tensor& t) { return (mask & t.unsqueeze(dim).eq(t.unsqueeze(dim + 1))).sum(dim + 1); };
  const Tensor before = counts(*this), after = counts(x);
  const Tensor same = unsqueeze(dim + 1).eq(x.unsqueeze(dim)) & before.unsqueeze(dim + 1).eq(after.unsqueeze(dim));
  Shape place(ndim(), Dim(1));
  place[d] = Dim(n);
  const Tensor places = context().arange(Scalar(n)).reshape(place);
  return {x, (same * places.unsqueeze(dim + 1)).sum(dim)};
}

Tensor Tensor::argsort(int64_t axis, bool descending) const {
  const Scope scope(context(), "argsort");
  return sort(axis, descending).second;
}

std::pair<Tensor, Tensor> Tensor::topk(int64_t k, int64_t axis, bool largest) const {
  const Scope scope(context(), "topk");
  const int64_t dim = resolve_dim(axis);
  if (k < 0 || k > size(dim))
    throw GraphError("topk of " + std::to_string(k) + " from an axis of " + std::to_string(size(dim)));
  const auto [values, places] = sort(dim, largest);
  std::vector<std::optional<Dim>> cut(ndim());
  cut[static_cast<size_t>(dim)] = Dim(k);
  return {values.shrink_to(cut), places.shrink_to(cut)};
}

}  // namespace rangescope::frontend
