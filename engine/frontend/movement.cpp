// Views (reference: mixin/movement.py). The nodes are made by UOp's own methods; here are the conveniences.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/frontend/tensor.h"

namespace rangescope::frontend {

namespace {

using Bounds2 = std::vector<std::optional<std::pair<Dim, Dim>>>;

std::string text(const Ints& v) {
  return fmt::format("({})", fmt::join(v, ", "));
}

}  // namespace

Tensor Tensor::reshape(const Shape& to) const {
  const Scope scope(context(), "reshape");
  const auto inferred = std::ranges::find(to, Dim(-1));
  if (inferred != to.end() && std::ranges::count(to, Dim(0)) > 0)
    throw GraphError(
        fmt::format("cannot infer the size of an axis beside one of size 0 in {}", rangescope::to_string(to)));
  for (const Dim& d : to)
    if (d.is_int() && d.value < -1) throw GraphError(fmt::format("a shape cannot hold {}", d.value));
  return wrap(uop().reshape(to));
}

Tensor Tensor::broadcast_to(const Shape& to) const {
  return wrap(uop().broadcast_to(to));
}

Tensor Tensor::expand(const Shape& to) const {
  const Scope scope(context(), "expand");
  Shape target = to;
  const size_t left = target.size() > ndim() ? target.size() - ndim() : 0;
  const size_t shorter = ndim() > target.size() ? ndim() - target.size() : 0;
  if (shorter > 0) target.insert(target.begin(), shorter, Dim(1));
  for (size_t i = 0; i < target.size(); ++i)
    if (target[i] == Dim(-1)) target[i] = i < left ? Dim(1) : shape()[i - left];
  return broadcast_to(target);
}

Tensor Tensor::permute(const Ints& order) const {
  const Scope scope(context(), "permute");
  return wrap(uop().permute(order));
}

Tensor Tensor::transpose(int64_t a, int64_t b) const {
  const Scope scope(context(), "transpose");
  Ints order(ndim());
  std::iota(order.begin(), order.end(), 0);
  const int64_t i = resolve_dim(a), j = resolve_dim(b);
  if (!order.empty()) std::swap(order.at(static_cast<size_t>(i)), order.at(static_cast<size_t>(j)));
  return permute(order);
}

Tensor Tensor::flip(const Ints& axes) const {
  const Scope scope(context(), "flip");
  return wrap(uop().flip(axes));
}

Tensor Tensor::shrink(const Bounds2& begin_end) const {
  const Scope scope(context(), "shrink");
  if (begin_end.size() != ndim())
    throw GraphError(fmt::format("shrink needs one entry an axis: {} given for {}", begin_end.size(),
                                 rangescope::to_string(shape())));
  std::vector<std::pair<Dim, Dim>> cut;
  for (size_t i = 0; i < ndim(); ++i) {
    cut.push_back(begin_end[i].value_or(std::pair(Dim(0), shape()[i])));
    const auto& [from, to] = cut.back();
    const bool known = from.is_int() && to.is_int() && shape()[i].is_int();
    if (known && !(0 <= from.value && from.value <= to.value && to.value <= shape()[i].value))
      throw GraphError(fmt::format("cannot take {} to {} of axis {} of {}", from.value, to.value, i,
                                   rangescope::to_string(shape())));
  }
  return wrap(uop().shrink(cut));
}

Tensor Tensor::shrink_to(const std::vector<std::optional<Dim>>& to) const {
  Bounds2 cut;
  for (const auto& d : to) cut.push_back(d ? std::optional(std::pair(Dim(0), *d)) : std::nullopt);
  return shrink(cut);
}

Tensor Tensor::squeeze(std::optional<int64_t> axis) const {
  const Scope scope(context(), "squeeze");
  if (axis) return wrap(uop().squeeze(*axis));
  Shape to;
  for (const Dim& d : shape())
    if (!(d == Dim(1))) to.push_back(d);
  return reshape(to);
}

Tensor Tensor::unsqueeze(int64_t axis) const {
  const Scope scope(context(), "unsqueeze");
  return wrap(uop().unsqueeze(axis));
}

Tensor Tensor::flatten(int64_t start, int64_t end) const {
  const Scope scope(context(), "flatten");
  return wrap(uop().flatten(start, end));
}

Tensor Tensor::unflatten(int64_t axis, const Shape& sizes) const {
  const Scope scope(context(), "unflatten");
  const auto d = static_cast<size_t>(resolve_dim(axis));
  Shape to = shape();
  if (d >= to.size()) throw GraphError("unflatten needs an axis");
  to.erase(to.begin() + static_cast<std::ptrdiff_t>(d));
  to.insert(to.begin() + static_cast<std::ptrdiff_t>(d), sizes.begin(), sizes.end());
  return reshape(to);
}

Tensor Tensor::repeat(const Ints& times) const {
  const Scope scope(context(), "repeat");
  for (const int64_t r : times)
    if (r < 0) throw GraphError(fmt::format("repeat cannot repeat {} times", r));
  Shape base = shape();
  if (times.size() > base.size()) base.insert(base.begin(), times.size() - base.size(), Dim(1));
  Ints r = times;
  if (r.size() < base.size()) throw GraphError(fmt::format("repeat needs {} numbers, not {}", base.size(), r.size()));
  Shape apart, wide, whole;
  for (size_t i = 0; i < base.size(); ++i) {
    if (r[i] != 1) {
      apart.emplace_back(1);
      wide.emplace_back(r[i]);
    }
    apart.push_back(base[i]);
    wide.push_back(base[i]);
    whole.push_back(Dim(r[i]) * base[i]);
  }
  return reshape(apart).expand(wide).reshape(whole);
}

Tensor Tensor::repeat_interleave(int64_t times, std::optional<int64_t> axis) const {
  const Scope scope(context(), "repeat_interleave");
  const Tensor x = axis ? *this : flatten();
  const auto d = static_cast<std::ptrdiff_t>(axis ? resolve_dim(*axis) : 0);
  Shape apart = x.shape();
  if (apart.empty()) throw GraphError("repeat_interleave needs an axis");
  apart.insert(apart.begin() + d + 1, Dim(1));
  Shape wide = apart;
  wide[static_cast<size_t>(d) + 1] = Dim(times);
  Shape whole = x.shape();
  whole[static_cast<size_t>(d)] = whole[static_cast<size_t>(d)] * Dim(times);
  return x.reshape(apart).expand(wide).reshape(whole);
}

Tensor Tensor::roll(const Ints& shifts, const std::optional<Ints>& axes) const {
  const Scope scope(context(), "roll");
  if (!axes) return flatten().roll(shifts, Ints{0}).reshape(shape());
  if (axes->size() != shifts.size())
    throw GraphError(fmt::format("roll by {} needs as many axes, not {}", text(shifts), text(*axes)));
  const Ints s = sizes();
  if (std::ranges::count(s, 0) > 0) return *this;
  Ints times(ndim(), 1);
  Bounds2 cut(ndim());
  for (size_t i = 0; i < shifts.size(); ++i) {
    const auto d = static_cast<size_t>(resolve_dim((*axes)[i]));
    const int64_t n = s.at(d);
    const int64_t delta = n - ((shifts[i] % n) + n) % n;
    cut[d] = {Dim(delta), Dim(delta + n)};
    times[d] = 2;
  }
  return repeat(times).shrink(cut);
}

Tensor Tensor::diag() const {
  const Scope scope(context(), "diag");
  if (ndim() != 1) throw GraphError(fmt::format("diag needs a tensor of 1 axis, not of {}", ndim()));
  const int64_t n = sizes()[0];
  return unsqueeze(-1).pad_to({std::nullopt, Dim(1 + n)}).flatten().shrink_to({Dim(n * n)}).reshape({n, n});
}

Tensor Tensor::diagonal(int64_t offset, int64_t axis1, int64_t axis2) const {
  const Scope scope(context(), "diagonal");
  const int64_t a = resolve_dim(axis1), b = resolve_dim(axis2);
  if (a == b) throw GraphError("diagonal needs two axes that differ");
  Ints order;
  for (int64_t i = 0; i < static_cast<int64_t>(ndim()); ++i)
    if (i != a && i != b) order.push_back(i);
  const size_t outer = order.size();
  order.push_back(a);
  order.push_back(b);
  Tensor x = permute(order);
  Bounds2 cut(x.ndim());
  const size_t at = offset >= 0 ? outer + 1 : outer;
  cut[at] = {Dim(std::min(std::abs(offset), x.sizes()[at])), Dim(x.sizes()[at])};
  x = x.shrink(cut);
  Shape front(x.shape().begin(), x.shape().begin() + static_cast<std::ptrdiff_t>(outer));
  const int64_t d = std::min(x.sizes()[outer], x.sizes()[outer + 1]);
  if (d <= 0) {
    front.emplace_back(0);
    return x.reshape(front);
  }
  std::vector<std::optional<Dim>> keep(outer), square = keep, longer = keep, first = keep;
  square.insert(square.end(), {Dim(d), Dim(d)});
  longer.emplace_back(Dim(d * (d + 1)));
  first.insert(first.end(), {std::nullopt, Dim(1)});
  return x.shrink_to(square).flatten(-2).pad_to(longer).unflatten(-1, {d, d + 1}).shrink_to(first).squeeze(-1);
}

Tensor Tensor::unfold(int64_t axis, int64_t size, int64_t step) const {
  const Scope scope(context(), "unfold");
  const int64_t d = resolve_dim(axis);
  if (size < 0 || step <= 0)
    throw GraphError(fmt::format("unfold cannot take windows of {} every {} elements", size, step));
  if (size > this->size(d))
    throw GraphError(fmt::format("unfold cannot take windows of {} from an axis of {}", size, this->size(d)));
  Ints order;
  for (int64_t i = 0; i < static_cast<int64_t>(ndim()); ++i)
    if (i != d) order.push_back(i);
  order.push_back(d);
  Ints back(order.size());
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  back.push_back(static_cast<int64_t>(ndim()));
  return permute(order).pool({size}, {step}).permute(back);
}

}  // namespace rangescope::frontend
