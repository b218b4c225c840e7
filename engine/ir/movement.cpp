// Movement ops with the reference's conveniences (mixin/movement.py, mixin/reduce.py, uop/ops.py _mop and _rop): no-ops
// are dropped, shapes are checked, symbolic arguments are simplified before they become sources.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope {

namespace {

using Pair = std::pair<Dim, Dim>;

UOp with_shape_args(Op op, UOp u, UOps args, bool symbolic) {
  // A shape of numbers simplifies to itself, so only expressions go through the simplifier.
  if (symbolic) {
    const UOp s = u.store().sink(args).simplify();
    args.assign(s.srcs().begin(), s.srcs().end());
  }
  args.insert(args.begin(), u);
  return u.store().make(op, args);
}

UOp same_if_same_shape(UOp before, UOp after) {
  return after.shape() == before.shape() ? before : after;
}

int64_t resolve_dim(UOp u, int64_t dim, bool extra = false) {
  const int64_t total = static_cast<int64_t>(u.ndim()) + (extra ? 1 : 0);
  const int64_t limit = std::max<int64_t>(1, total);
  if (dim < -limit || dim > limit - 1) throw GraphError(fmt::format("axis {} is out of range for {} axes", dim, total));
  return dim < 0 ? dim + total : dim;
}

void need_rank(UOp u, size_t n, const char* what) {
  if (u.ndim() != n)
    throw GraphError(fmt::format("{} needs one entry an axis: {} given for {}", what, n, to_string(u.shape())));
}

}  // namespace

UOp UOp::mop(Op op, std::span<const Dim> arg) const {
  if (op == Op::EXPAND && arg.empty()) return *this;
  return with_shape_args(op, *this, {store().shape_arg(arg)}, !all_int(arg));
}

UOp UOp::mop(Op op, std::span<const Pair> arg) const {
  if (arg.empty()) {
    need_rank(*this, 0, "an empty PAD or SHRINK");
    return *this;
  }
  Shape a, b;
  for (const auto& [x, y] : arg) {
    a.push_back(x);
    b.push_back(y);
  }
  const UOp first = store().shape_arg(a);
  return with_shape_args(op, *this, {first, store().shape_arg(b)}, !all_int(a) || !all_int(b));
}

UOp UOp::reshape(const Shape& to) const {
  Shape target = to;
  const auto inferred = std::ranges::count(target, Dim(-1));
  if (inferred > 1) throw GraphError("only one axis of a reshape can be inferred");
  if (inferred == 1) {
    const Dim rest = product(target);
    std::ranges::replace(target, Dim(-1), floordiv(Dim(-1) * numel(), rest));
  }
  if (!must_be_equal(product(shape()), product(target)))
    throw GraphError(
        fmt::format("cannot reshape {} to {}: the number of elements differs", to_string(shape()), to_string(target)));
  return same_if_same_shape(*this, mop(Op::RESHAPE, std::span<const Dim>(target)));
}

UOp UOp::permute(std::span<const int64_t> order) const {
  std::vector<int64_t> perm, sorted, identity(ndim());
  for (const int64_t d : order) perm.push_back(resolve_dim(*this, d));
  sorted = perm;
  std::ranges::sort(sorted);
  std::iota(identity.begin(), identity.end(), 0);
  if (sorted != identity) throw GraphError("the order of a permute names every axis once");
  if (perm == identity) return *this;
  Arg::Tuple arg;
  for (const int64_t p : perm) arg.emplace_back(p);
  return store().make(Op::PERMUTE, {*this}, Arg(std::move(arg)));
}

UOp UOp::broadcast_to(const Shape& to) const {
  const Shape& from = shape();
  if (from == to) return *this;
  if (from.size() > to.size())
    throw GraphError(fmt::format("cannot broadcast {} to fewer axes {}", to_string(from), to_string(to)));
  const size_t left = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i)
    if (!(from[i] == to[left + i]) && !(from[i] == Dim(1)))
      throw GraphError(fmt::format("cannot broadcast {} to {}", to_string(from), to_string(to)));
  // EXPAND only adds axes on the left: drop the ones that grow, add them on the left, permute them back
  std::vector<size_t> expand_at, kept;
  for (const int64_t i : broadcast_axes(from, to))
    if (i >= static_cast<int64_t>(left)) expand_at.push_back(static_cast<size_t>(i) - left);
  for (size_t i = 0; i < from.size(); ++i)
    if (std::ranges::find(expand_at, i) == expand_at.end()) kept.push_back(i);
  Shape squeezed, added(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(left));
  for (const size_t i : kept) squeezed.push_back(from[i]);
  for (const size_t i : expand_at) added.push_back(to[left + i]);
  const UOp expanded = reshape(squeezed).mop(Op::EXPAND, std::span<const Dim>(added));
  std::vector<int64_t> perm(left);
  std::iota(perm.begin(), perm.end(), 0);
  for (size_t i = 0; i < from.size(); ++i) {
    const auto e = std::ranges::find(expand_at, i);
    const size_t at = e != expand_at.end()
                          ? static_cast<size_t>(e - expand_at.begin())
                          : expand_at.size() + static_cast<size_t>(std::ranges::find(kept, i) - kept.begin());
    perm.push_back(static_cast<int64_t>(left + at));
  }
  return expanded.permute(perm);
}

UOp UOp::expand(const Shape& to) const {
  Shape target = to;
  const size_t left = target.size() > ndim() ? target.size() - ndim() : 0;
  for (size_t i = 0; i < target.size(); ++i)
    if (target[i] == Dim(-1)) target[i] = i < left ? Dim(1) : shape()[i - left];
  return broadcast_to(target);
}

UOp UOp::pad(std::span<const Pair> before_after) const {
  need_rank(*this, before_after.size(), "pad");
  std::vector<Pair> arg;
  for (size_t i = 0; i < before_after.size(); ++i)
    arg.emplace_back(before_after[i].first, shape()[i] + before_after[i].first + before_after[i].second);
  return same_if_same_shape(*this, mop(Op::PAD, std::span<const Pair>(arg)));
}

UOp UOp::pad_to(const Shape& to) const {
  need_rank(*this, to.size(), "pad_to");
  std::vector<Pair> arg;
  for (const Dim& d : to) arg.emplace_back(Dim(0), d);
  return same_if_same_shape(*this, mop(Op::PAD, std::span<const Pair>(arg)));
}

UOp UOp::shrink(std::span<const Pair> begin_end) const {
  need_rank(*this, begin_end.size(), "shrink");
  std::vector<Pair> arg;
  for (const auto& [begin, end] : begin_end) arg.emplace_back(begin, end - begin);
  return same_if_same_shape(*this, mop(Op::SHRINK, std::span<const Pair>(arg)));
}

UOp UOp::shrink_to(const Shape& to) const {
  std::vector<Pair> arg;
  for (const Dim& d : to) arg.emplace_back(Dim(0), d);
  return shrink(arg);
}

UOp UOp::flip(std::span<const int64_t> axes) const {
  std::vector<bool> flags(ndim(), false);
  for (const int64_t a : axes) {
    const auto i = static_cast<size_t>(resolve_dim(*this, a));
    if (i >= flags.size() || flags[i]) throw GraphError("a flip names each axis at most once");
    flags[i] = true;
  }
  if (axes.empty()) return *this;
  Arg::Tuple arg;
  for (const bool f : flags) arg.emplace_back(f);
  return store().make(Op::FLIP, {*this}, Arg(std::move(arg)));
}

UOp UOp::stack(std::span<const UOp> more, int64_t dim) const {
  UOps all{*this};
  all.insert(all.end(), more.begin(), more.end());
  const int64_t at = resolve_dim(*this, dim, true);
  for (const UOp u : all)
    if (u.shape() != shape()) throw GraphError("stacked values must have one shape");
  std::vector<DType> dts;
  for (const UOp u : all) dts.push_back(u.dtype());
  const bool same = std::ranges::all_of(dts, [&](DType d) { return d == dts[0]; });
  const DType dt = same ? dts[0] : least_upper_dtype(dts);
  for (UOp& u : all)
    if (!u.base().is_invalid()) u = u.is_const() ? store().constant(u.val(), dt) : u.cast(dt);
  const UOp ret = store().make(Op::STACK, dt, all);
  if (at == 0) return ret;
  std::vector<int64_t> perm;
  for (int64_t i = 1; i <= at; ++i) perm.push_back(i);
  perm.push_back(0);
  for (auto i = at + 1; i < static_cast<int64_t>(ret.ndim()); ++i) perm.push_back(i);
  return ret.permute(perm);
}

UOp UOp::cat(std::span<const UOp> more, int64_t dim) const {
  const int64_t at = resolve_dim(*this, dim);
  const auto axis = static_cast<size_t>(at);
  UOps all{*this};
  all.insert(all.end(), more.begin(), more.end());
  bool same = true;
  Shape ends{Dim(0)};
  for (const UOp u : all) {
    const Shape& s = u.shape();
    bool fits = s.size() == ndim() && axis < s.size();
    for (size_t i = 0; fits && i < s.size(); ++i) fits = i == axis || s[i] == shape()[i];
    if (!fits)
      throw GraphError(fmt::format("cannot join {} to {} along axis {}", to_string(s), to_string(shape()), at));
    same = same && s[axis] == shape()[axis];
    ends.push_back(ends.back() + s[axis]);
  }
  if (same) return stack(more, at).flatten(at, at + 1);
  // of different sizes: each padded to the whole, then summed
  for (size_t k = 0; k < all.size(); ++k) {
    std::vector<Pair> around(ndim(), Pair{Dim(0), Dim(0)});
    around[axis] = {ends[k], ends.back() - ends[k + 1]};
    all[k] = all[k].pad(around);
  }
  return all[0].usum(std::span<const UOp>(all).subspan(1));
}

UOp UOp::flatten(int64_t start, int64_t end) const {
  const auto a = static_cast<size_t>(resolve_dim(*this, start)), b = static_cast<size_t>(resolve_dim(*this, end));
  const Shape& s = shape();
  Shape to(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(std::min(a, s.size())));
  Dim n = 1;
  for (size_t i = a; i <= b && i < s.size(); ++i) n = n * s[i];
  to.push_back(n);
  for (size_t i = b + 1; i < s.size(); ++i) to.push_back(s[i]);
  return reshape(to);
}

UOp UOp::squeeze(int64_t dim) const {
  const auto d = static_cast<size_t>(resolve_dim(*this, dim));
  if (ndim() == 0 || !(shape()[d] == Dim(1))) return *this;
  Shape to = shape();
  to.erase(to.begin() + static_cast<std::ptrdiff_t>(d));
  return reshape(to);
}

UOp UOp::unsqueeze(int64_t dim) const {
  Shape to = shape();
  to.insert(to.begin() + resolve_dim(*this, dim, true), Dim(1));
  return reshape(to);
}

UOp UOp::rop(Op op, std::span<const int64_t> axes) const {
  std::vector<int64_t> axis(axes.begin(), axes.end());
  std::ranges::sort(axis);
  std::vector<int64_t> reduced, perm;
  for (const int64_t a : axis)
    if (resolve_ne(shape().at(static_cast<size_t>(a)), Dim(1))) reduced.push_back(a);
  Shape rest;
  for (size_t i = 0; i < ndim(); ++i)
    if (std::ranges::find(axis, static_cast<int64_t>(i)) == axis.end()) rest.push_back(shape()[i]);
  if (reduced.empty()) return reshape(rest);
  perm = reduced;
  for (size_t i = 0; i < ndim(); ++i)
    if (std::ranges::find(reduced, static_cast<int64_t>(i)) == reduced.end()) perm.push_back(static_cast<int64_t>(i));
  const UOp ret =
      store().make(Op::REDUCE, {permute(perm)}, Arg(Arg::Tuple{Arg(op), Arg(static_cast<int64_t>(reduced.size()))}));
  return axis != reduced ? ret.reshape(rest) : ret;
}

}  // namespace rangescope
