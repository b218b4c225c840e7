// Gathering and scattering along an axis, and selections (reference: mixin/op.py).

#include <fmt/format.h>

#include <algorithm>

#include "engine/frontend/tensor.h"
#include "engine/ir/scalar_alu.h"

namespace rangescope::frontend {

namespace {

void need_same_device(const Tensor& a, const Tensor& b) {
  if (!a.device().is_none() && !b.device().is_none() && a.device() != b.device())
    throw GraphError("index and values must lie on the device of the tensor");
}

struct Spread {
  Tensor src, mask;
};

// The values and where they go, with an axis more to be reduced.
Spread spread(const Tensor& self, int64_t axis, const Tensor& index, const Tensor& src) {
  need_same_device(self, index);
  need_same_device(self, src);
  const auto d = static_cast<size_t>(self.resolve_dim(axis));
  if (index.ndim() != self.ndim() || src.ndim() != self.ndim())
    throw GraphError(
        fmt::format("scatter needs index and values of {} axes, not {} and {}", self.ndim(), index.ndim(), src.ndim()));
  const Ints s = self.sizes(), i = index.sizes(), v = src.sizes();
  for (size_t a = 0; a < s.size(); ++a)
    if ((a != d && s[a] < i[a]) || v[a] < i[a])
      throw GraphError(fmt::format("scatter: the index, {}, is larger than {} along axis {}", to_string(index.shape()),
                                   v[a] < i[a] ? "the values" : "the tensor", a));
  if (self.dtype() != src.dtype())
    throw GraphError(
        fmt::format("scatter of {} into {}; cast the values", dtype_name(src.dtype()), dtype_name(self.dtype())));
  std::vector<std::optional<Dim>> used, whole;
  Shape wide;
  for (size_t a = 0; a < s.size(); ++a) {
    used.emplace_back(Dim(i[a]));
    wide.emplace_back(i[a]);
    whole.emplace_back(Dim(s[a]));
  }
  wide.emplace_back(s[d]);
  whole.emplace_back(std::nullopt);
  const Tensor values = src.shrink_to(used).unsqueeze(-1).expand(wide).transpose(-1, static_cast<int64_t>(d));
  const Tensor mask = index.unsqueeze(-1).one_hot_along(Dim(s[d])).transpose(-1, static_cast<int64_t>(d));
  return {values.pad_to(whole), mask.pad_to(whole)};
}

}  // namespace

Tensor Tensor::one_hot_along(const Dim& classes, int64_t axis) const {
  if (!is_int(dtype())) throw GraphError(fmt::format("an index must be of integers, not of {}", dtype_name(dtype())));
  if (!classes.is_int()) throw GraphError("an index into an axis of symbolic size");
  Shape place(ndim() - static_cast<size_t>(resolve_dim(axis)), Dim(1));
  place[0] = classes;
  return eq(context().arange(Scalar(classes.value)).reshape(place));
}

Tensor Tensor::one_hot(int64_t classes) const {
  const Scope scope(context(), "one_hot");
  if (classes < 0) throw GraphError(fmt::format("one_hot of {} classes", classes));
  return at({Ellipsis{}, NewAxis{}}).one_hot_along(Dim(classes)).where(1, 0);
}

Tensor Tensor::gather(int64_t axis, const Tensor& index) const {
  const Scope scope(context(), "gather");
  need_same_device(*this, index);
  if (index.ndim() != ndim())
    throw GraphError(fmt::format("gather needs an index of {} axes, not {}", ndim(), index.ndim()));
  const auto d = static_cast<size_t>(resolve_dim(axis));
  std::vector<std::optional<Dim>> used(ndim());
  for (size_t i = 0; i < ndim(); ++i) {
    if (i == d) continue;
    used[i] = index.shape()[i];
    if (!resolve_ge(shape()[i], index.shape()[i]))
      throw GraphError(fmt::format("gather: the index, {}, is larger than the tensor, {}, along axis {}",
                                   to_string(index.shape()), to_string(shape()), i));
  }
  const Tensor x = shrink_to(used).unsqueeze(-1).transpose(-1, static_cast<int64_t>(d));
  return index.unsqueeze(-1).one_hot_along(shape().at(d)).where(x, 0).sum(-1, false, dtype());
}

Tensor Tensor::scatter_reduce(int64_t axis, const Tensor& index, const Tensor& values, std::string_view reduce,
                              bool include_self) const {
  const Scope scope(context(), "scatter_reduce");
  const auto [src, m] = spread(*this, axis, index, values);
  const Tensor& mask = m;
  const auto untouched = [&](const Operand& a, const Operand& b) { return mask.any(-1).logical_not().where(a, b); };
  const auto own = [&](const Scalar& neutral) { return include_self ? *this : untouched(*this, neutral); };
  if (reduce == "sum") return mask.where(src, 0).sum(-1).add(own(Scalar(0)));
  if (reduce == "prod") return mask.where(src, 1).prod(-1).mul(own(Scalar(1)));
  if (reduce == "amax") {
    const Scalar low = dtype_min(src.dtype());
    return mask.where(src, low).max(-1).maximum(own(low));
  }
  if (reduce == "amin") {
    const Scalar high = dtype_max(src.dtype());
    return mask.where(src, high).min(-1).minimum(own(high));
  }
  if (reduce == "mean") {
    const Tensor hits = mask.where(1, 0).sum(-1);
    const Tensor count = include_self ? hits.add(1) : hits.add(untouched(1, 0));
    return mask.where(src, 0).sum(-1).add(own(Scalar(0))).div(count);
  }
  throw GraphError(fmt::format("scatter_reduce by \"{}\"; there are sum, prod, mean, amax, amin", reduce));
}

Tensor Tensor::scatter(int64_t axis, const Tensor& index, const Operand& value, std::string_view reduce) const {
  const Scope scope(context(), "scatter");
  if (!reduce.empty() && reduce != "add" && reduce != "multiply")
    throw GraphError(fmt::format("scatter by \"{}\"; there are add and multiply", reduce));
  if (!reduce.empty() && !value.is_number())
    throw GraphError("scatter of a tensor does not reduce; use scatter_reduce");
  const Tensor src = value.is_number()
                         ? context().full(index.shape(), value.number(), {.dtype = dtype(), .buffer = false})
                         : *value.tensor();
  if (reduce == "add") return scatter_reduce(axis, index, src, "sum");
  if (reduce == "multiply") return scatter_reduce(axis, index, src, "prod");
  const auto [values, mask] = spread(*this, axis, index, src);
  return masked_merge(values, mask, {-1});
}

Tensor Tensor::masked_merge(const Tensor& given, const Tensor& where, const Ints& axes) const {
  Tensor mask = where, values = given;
  for (size_t i = axes.size(); i-- > 0;) {  // of several that go to one place the last one stays
    const auto masks = mask.split(1, axes[i]), parts = values.split(1, axes[i]);
    if (masks.empty()) continue;
    Tensor m = masks[0], v = parts[0];
    for (size_t k = 1; k < masks.size(); ++k) {
      v = masks[k].where(parts[k], v);
      m = m | masks[k];
    }
    mask = m;
    values = v;
  }
  for (size_t i = axes.size(); i-- > 0;) {
    mask = mask.squeeze(axes[i]);
    values = values.squeeze(axes[i]);
  }
  return mask.where(values, *this);
}

Tensor Tensor::masked_select(const Tensor& given, int64_t size, const Scalar& fill) const {
  const Scope scope(context(), "masked_select");
  if (given.dtype() != DType::bool_)
    throw GraphError(fmt::format("a mask must be bool, not {}", dtype_name(given.dtype())));
  const Tensor x = flatten(), mask = given.broadcast_to(shape()).flatten();
  const Tensor counts =
      context().zeros({Dim(size)}, {.dtype = DType::int32, .buffer = false}).scatter(0, mask.cumsum(), 1, "add");
  const Tensor found = x.at({counts.cumsum()});
  return context().arange(Scalar(size)).lt(mask.sum()).where(found, fill).cast(dtype());
}

Tensor Tensor::nonzero(int64_t size, const Scalar& fill) const {
  const Scope scope(context(), "nonzero");
  const Ints s = sizes();
  if (s.empty()) return context().zeros({Dim(size), Dim(0)}, {.dtype = DType::int32, .device = device()});
  const Tensor mask = ne(0).flatten();
  const auto n = static_cast<int64_t>(s.size());
  std::vector<Tensor> places;
  for (size_t i = 0; i < s.size(); ++i) {
    Shape place(s.size(), Dim(1));
    place[i] = Dim(s[i]);
    places.push_back(context().arange(Scalar(s[i])).reshape(place).expand(shape()).flatten());
  }
  const Tensor indices = places[0].stack({places.begin() + 1, places.end()}, -1);
  const Tensor wide = mask.unsqueeze(-1).expand({mask.shape()[0], Dim(n)});
  return indices.masked_select(wide, size * n, fill).reshape({Dim(-1), Dim(n)});
}

namespace {
Tensor triangle(const Tensor& t, int64_t diagonal) {
  if (t.ndim() < 2) throw GraphError("triu and tril need two axes at least");
  Context& c = t.context();
  return (c.arange(Scalar(t.size(-2))).unsqueeze(-1) + Scalar(diagonal)).le(c.arange(Scalar(t.size(-1))));
}
}  // namespace

Tensor Tensor::triu(int64_t diagonal) const {
  const Scope scope(context(), "triu");
  return triangle(*this, diagonal).where(*this, const_like(0));
}
Tensor Tensor::tril(int64_t diagonal) const {
  const Scope scope(context(), "tril");
  return triangle(*this, diagonal + 1).where(const_like(0), *this);
}

}  // namespace rangescope::frontend
