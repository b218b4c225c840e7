// Gradients (reference: mixin/gradient.py): from the root down, each node adds to its sources what its own gradient is
// worth to them. One row an op.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "engine/frontend/graph_copy.h"
#include "engine/frontend/tensor.h"
#include "engine/ir/sharding.h"
#include "engine/ir/traversal.h"

namespace rangescope::frontend {

namespace {

using Pairs = std::vector<std::pair<Dim, Dim>>;

UOp scaled(UOp x, double by) {
  return x * Scalar(by);
}
UOp over(UOp x, UOp y) {
  return x.div(y);
}
UOp choose(UOp condition, UOp then, const Scalar& otherwise) {
  return condition.where(then, otherwise);
}

std::vector<int64_t> first_axes(int64_t n) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < n; ++i) out.push_back(i);
  return out;
}

UOps of_reduce(UOp ctx, UOp ret) {
  const UOp x = ret.src(0);
  const Op op = *ret.arg().as_tuple().at(0).get_if<Op>();
  const std::vector<int64_t> axes = first_axes(ret.arg().as_tuple().at(1).as_int64());
  if (op == Op::ADD) return {ctx.broadcast_to(x.shape())};
  if (op == Op::MAX) {  // shared by all that are largest
    const UOp mask = x.eq(ret).cast(ctx.dtype());
    return {over(mask, mask.rop(Op::ADD, axes)) * ctx};
  }
  const UOp is_zero = x.eq(Scalar(0)), safe = is_zero.where(Scalar(1), x);
  const UOp zeros = is_zero.cast(sum_acc_dtype(is_zero.dtype())).rop(Op::ADD, axes);
  const UOp others = choose(zeros.eq(Scalar(1)), safe.rop(Op::MUL, axes), Scalar(0));
  return {ctx * is_zero.where(others, over(ret, safe))};
}

UOps of_power(UOp ctx, UOp ret) {
  const UOp b = ret.src(0), e = ret.src(1);
  const UOp to_base = ctx * e.eq(Scalar(0)).where(e, e * binop(Op::POW, b, e - Scalar(1)));
  const UOp at_zero = lt(e, Scalar(0)).where(ret.const_like(Scalar(-kInf)), Scalar(0));
  const UOp to_exponent = ctx * b.eq(Scalar(0)).where(at_zero, scaled(ret * b.alu(Op::LOG2), std::numbers::ln2));
  return {to_base, to_exponent};
}

UOps of_max(UOp ctx, UOp ret) {  // an even one goes half to each
  const UOp x = ret.src(0), y = ret.src(1);
  const auto half = [&] { return choose(x.eq(y), scaled(ctx, 0.5), Scalar(0)); };
  return {gt(x, y).where(ctx, half()), lt(x, y).where(ctx, half())};
}

UOps of_pad(UOp ctx, UOp ret) {
  Pairs cut;
  const auto arg = ret.marg_pairs();
  for (size_t i = 0; i < arg.size(); ++i) cut.emplace_back(arg[i].first, ret.src(0).shape()[i] + arg[i].first);
  return {ctx.shrink(cut), UOp(), UOp()};
}

UOps of_shrink(UOp ctx, UOp ret) {
  Pairs around;
  const auto arg = ret.marg_pairs();
  for (size_t i = 0; i < arg.size(); ++i)
    around.emplace_back(arg[i].first, ret.src(0).shape()[i] - arg[i].first - arg[i].second);
  return {ctx.pad(around), UOp(), UOp()};
}

UOps of_permute(UOp ctx, UOp ret) {
  const auto order = ret.marg_perm();
  std::vector<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return {ctx.permute(back)};
}

UOps of_flip(UOp ctx, UOp ret) {
  std::vector<int64_t> axes;
  const auto flags = ret.marg_flip();
  for (size_t i = 0; i < flags.size(); ++i)
    if (flags[i]) axes.push_back(static_cast<int64_t>(i));
  return {ctx.flip(axes)};
}

UOps of_stack(UOp ctx, UOp ret) {
  UOps out;
  for (size_t i = 0; i < ret.src_count(); ++i) {  // ctx[i]
    Pairs cut{{Dim(static_cast<int64_t>(i)), Dim(static_cast<int64_t>(i) + 1)}};
    for (size_t d = 1; d < ctx.ndim(); ++d) cut.emplace_back(Dim(0), ctx.shape()[d]);
    const Shape rest(ctx.shape().begin() + 1, ctx.shape().end());
    out.push_back(ctx.shrink(cut).reshape(rest));
  }
  return out;
}

// The gradient of each source; null: none goes there. nullopt: the op has no gradient.
std::optional<UOps> gradients_of(UOp ctx, UOp ret) {
  switch (ret.op()) {
    case Op::CAST:
      return UOps{ctx.cast(ret.src(0).dtype())};
    case Op::RECIPROCAL:
      return UOps{ctx.neg() * ret * ret};
    case Op::SIN: {
      const UOp x = ret.src(0);
      return UOps{(Scalar(std::numbers::pi / 2) - x).alu(Op::SIN) * ctx};
    }
    case Op::LOG2:
      return UOps{over(ctx, scaled(ret.src(0), std::numbers::ln2))};
    case Op::EXP2:
      return UOps{scaled(ret * ctx, std::numbers::ln2)};
    case Op::SQRT:
      return UOps{over(ctx, ret * Scalar(2))};
    case Op::TRUNC:
      return UOps{ctx.const_like(Scalar(0))};
    case Op::CMPLT:
    case Op::CMPNE:
      return UOps{UOp(), UOp()};
    case Op::ADD:
      return UOps{ctx, ctx};
    case Op::POW:
      return of_power(ctx, ret);
    case Op::MAX:
      return of_max(ctx, ret);
    case Op::MUL:
      return UOps{ret.src(1) * ctx, ret.src(0) * ctx};
    case Op::WHERE: {
      const UOp zero = ctx.const_like(Scalar(0));
      return UOps{UOp(), ret.src(0).where(ctx, zero), ret.src(0).where(zero, ctx)};
    }
    case Op::REDUCE:
      return of_reduce(ctx, ret);
    case Op::CONTIGUOUS:
      return UOps{ctx};
    case Op::CONTIGUOUS_BACKWARD:
      return UOps{ctx.contiguous()};
    case Op::RESHAPE:
      return UOps{ctx.reshape(ret.src(0).shape()), UOp()};
    case Op::EXPAND:
      return UOps{ctx, UOp()};
    case Op::PAD:
      return of_pad(ctx, ret);
    case Op::SHRINK:
      return of_shrink(ctx, ret);
    case Op::PERMUTE:
      return of_permute(ctx, ret);
    case Op::FLIP:
      return of_flip(ctx, ret);
    case Op::STACK:
      return of_stack(ctx, ret);
    case Op::COPY:
      return UOps{copy_to_device(ctx, ret.src(0).device())};
    case Op::UNSHARD: {
      const std::optional<int64_t> axis = ret.axis();
      if (!axis) return std::nullopt;
      const UOp range = device_range(ret.store(), static_cast<int64_t>(ret.device().names.size()));
      UOps out(ret.src_count());
      out[0] = shard_of(copy_to_device(ctx, ret.device()), *axis, range);
      return out;
    }
    case Op::AFTER:
      if (ret.src_count() == 2 && ret.src(1).is(Op::STORE)) return UOps{UOp(), ctx};
      return std::nullopt;
    case Op::STORE:
      if (ret.src_count() == 2) return UOps{UOp(), ctx};
      return std::nullopt;
    case Op::BITCAST:
      return UOps{UOp()};
    default:
      return std::nullopt;
  }
}

// A gradient summed to the shape of what it is for.
UOp summed_to(UOp v, UOp k) {
  const Shape* ks = k.shape_or_null();
  const Shape* vs = v.shape_or_null();
  if (ks == nullptr || vs == nullptr || *ks == *vs) return v;
  const AxisList axes = broadcast_axes(*ks, *vs);
  return v.cast(sum_acc_dtype(v.dtype())).rop(Op::ADD, axes).reshape(*ks).cast(v.dtype());
}

std::unordered_map<uint32_t, UOp> compute(UOp root, UOp root_gradient, const std::unordered_set<uint32_t>& targets) {
  std::unordered_map<uint32_t, bool> on_path;  // looked up, never iterated
  UOps walk;
  for (const UOp u : toposort(root)) {
    const bool on =
        std::ranges::any_of(u.srcs(), [&](UOp s) { return on_path.at(s.id()) || targets.contains(s.id()); });
    on_path[u.id()] = on;
    if (on && !u.is(Op::DETACH)) walk.push_back(u);
  }
  std::unordered_map<uint32_t, UOp> grads{{root.id(), root_gradient}};
  Store& store = root.store();
  for (size_t i = walk.size(); i-- > 0;) {
    const UOp u = walk[i];
    const auto known = grads.find(u.id());
    if (known == grads.end()) continue;
    const uint32_t first = store.node_count();
    const auto parts = gradients_of(known->second, u);
    if (!parts)
      throw GraphError(fmt::format("{} has no gradient (node {}{}); detach what needs none", op_name(u.op()), u.id(),
                                   store.metadata(u) != nullptr ? ", made by " + store.metadata(u)->name : ""));
    for (size_t k = 0; k < parts->size(); ++k) {
      if (!(*parts)[k]) continue;
      const UOp source = u.src(k), v = summed_to((*parts)[k], source);
      const auto [it, fresh] = grads.try_emplace(source.id(), v);
      if (!fresh) it->second = it->second + v;
    }
    if (const Metadata* m = store.metadata(u)) {  // a gradient says which method it is the gradient of
      const Metadata backward{m->name.ends_with(" backward") ? m->name : m->name + " backward", m->location};
      for (uint32_t id = first; id < store.node_count(); ++id) store.set_metadata(store.at(id), backward);
    }
  }
  return grads;
}

}  // namespace

std::vector<Tensor> Tensor::gradient(const std::vector<Tensor>& targets, const std::optional<Tensor>& weight) const {
  const Scope scope(context(), "gradient");
  if (!weight && ndim() != 0)
    throw GraphError(fmt::format("the gradient of a tensor of shape {} needs a weight of that shape; of a scalar, none",
                                 rangescope::to_string(shape())));
  if (!is_floating_point()) throw GraphError("only floats have a gradient");
  std::unordered_set<uint32_t> ids;
  for (const Tensor& t : targets) {
    if (!t.is_floating_point() || is_weak(t.dtype()))
      throw GraphError(fmt::format("a gradient by a tensor of {}; only floats have one", dtype_name(t.dtype())));
    ids.insert(t.uop().id());
  }
  const UOp start = weight ? weight->uop() : uop().const_like(Scalar(1.0));
  const auto grads = compute(uop(), start, ids);
  std::vector<Tensor> out;
  for (const Tensor& t : targets) {
    const auto it = grads.find(t.uop().id());
    out.push_back(wrap(it == grads.end() ? t.uop().const_like(Scalar(0)) : it->second));
  }
  return out;
}

}  // namespace rangescope::frontend
