#include "engine/schedule/movement_ops.h"

#include <algorithm>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/indexing_context.h"
#include "engine/schedule/movement_cache.h"
#include "engine/schedule/substitute_ranges.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

const Shape* make_arg(UOp mop) {
  Shape arg;
  switch (mop.op()) {
    case Op::RESHAPE:
    case Op::EXPAND:
      return &mop.marg_shape();
    case Op::PAD:
    case Op::SHRINK:
      for (const auto& [offset, size] : mop.marg_pairs()) {
        arg.push_back(offset);
        arg.push_back(size);
      }
      break;
    case Op::PERMUTE:
      for (const int64_t p : mop.marg_perm()) arg.emplace_back(p);
      break;
    default:
      for (const bool f : mop.marg_flip()) arg.emplace_back(static_cast<int64_t>(f));
  }
  return mop.store().intern(std::move(arg));
}

const Shape* interned_arg(MovementCache& cache, UOp mop) {
  const Shape*& arg = cache.args[mop];
  if (arg == nullptr) arg = make_arg(mop);
  return arg;
}

// ** reshape

const RuleSet& reshape_rules() {
  static const RuleSet rules("reshape",
                             {&symbolic::symbolic(), &symbolic::pm_simplify_valid(), &symbolic::pm_drop_and_clauses()});
  return rules;
}

const RuleSet& pad_rules() {
  static const RuleSet rules("pad", {&symbolic::symbolic(), &symbolic::pm_simplify_valid()});
  return rules;
}

// `rngs` is a SINK of placeholder ranges, so that equal reshapes anywhere share the work.
UOp reshaped(MovementCache& cache, const Shape* in_shape, const Shape* out_shape, UOp rngs) {
  Store& store = rngs.store();
  const MovementKey key{Op::RESHAPE, in_shape, out_shape, std::span(&rngs, 1)};
  if (const UOp* known = cache.reshaped.find(key)) return *known;
  // the flat index, least significant axis first, then its digits in the shape of the source
  Dim acc = 1;
  UOps terms;
  for (size_t i = std::min(out_shape->size(), rngs.src_count()); i-- > 0;) {
    terms.push_back((acc * Dim(rngs.src(i))).sym);
    acc = acc * (*out_shape)[i];
  }
  Dim combined = store.constant(0).usum(terms);
  UOps digits;
  for (size_t i = in_shape->size(); i-- > 0;) {
    digits.push_back(floormod(combined, (*in_shape)[i]).sym);
    combined = floordiv(combined, (*in_shape)[i]);
  }
  std::ranges::reverse(digits);
  return cache.reshaped.keep(key, graph_rewrite(store.sink(digits), reshape_rules(), {.name = "reshape"}));
}

UOps reshape_ranges(MovementCache& cache, Store& store, const Shape* in_shape, const Shape* out_shape,
                    std::span<const UOp> rngs) {
  const UOp sink = store.sink(rngs).simplify();  // flips commutative operands of the ranges early
  SmallVector<std::pair<UOp, UOp>, 6> to_placeholder, back;
  for (const UOp r : sink.ranges()) {
    const auto i = static_cast<int64_t>(to_placeholder.size());
    const UOp p = store.make(Op::RANGE, r.dtype(), r.srcs().subspan(0, 1),
                             Arg(Arg::Tuple{Arg(i), Arg(AxisType::PLACEHOLDER)}), r.tag());
    to_placeholder.emplace_back(r, p);
    back.emplace_back(p, r);
  }
  const UOp out = replace_ranges(reshaped(cache, in_shape, out_shape, replace_ranges(sink, to_placeholder)), back);
  return {out.srcs().begin(), out.srcs().end()};
}

// ** the others

UOps shrink_ranges(const Shape& arg, std::span<const UOp> rngs) {
  UOps out;
  for (size_t i = 0; i < std::min(rngs.size(), arg.size() / 2); ++i) {
    const Dim& offset = arg[2 * i];
    out.push_back(offset == Dim(0) ? rngs[i] : (Dim(rngs[i]) + offset).sym);
  }
  return out;
}

UOps permute_ranges(const Shape& arg, std::span<const UOp> rngs) {
  UOps out(arg.size());
  for (size_t i = 0; i < arg.size(); ++i) {
    const auto to = static_cast<size_t>(arg[i].value);
    if (to >= out.size() || i >= rngs.size()) throw GraphError("a PERMUTE does not fit the ranges that index it");
    out[to] = rngs[i];
  }
  return out;
}

UOps flip_ranges(const Shape& in_shape, const Shape& arg, std::span<const UOp> rngs) {
  UOps out;
  for (size_t i = 0; i < std::min({rngs.size(), in_shape.size(), arg.size()}); ++i)
    out.push_back(arg[i].value != 0 ? ((in_shape[i] - Dim(1)) - Dim(rngs[i])).sym : rngs[i]);
  return out;
}

UOps pad_ranges(const Shape& in_shape, const Shape& arg, std::span<const UOp> rngs) {
  UOps out;
  for (size_t i = 0; i < std::min({rngs.size(), in_shape.size(), arg.size() / 2}); ++i) {
    const UOp r = rngs[i];
    const Dim& size = in_shape[i];
    const Dim& offset = arg[2 * i];
    if (arg[2 * i + 1] == size && offset == Dim(0)) {
      out.push_back(r);
      continue;
    }
    Store& store = r.store();
    const UOp inside = ge(r, store.dim(offset)) & lt(r, store.dim(size + offset));
    out.push_back((Dim(r) - offset).sym.valid(graph_rewrite(inside, pad_rules(), {.name = "pad"})));
  }
  return out;
}

const UOps& apply(MovementCache& cache, Store& store, Op op, const Shape* in_shape, const Shape* arg,
                  std::span<const UOp> rngs) {
  const MovementKey key{op, in_shape, arg, rngs};
  if (const UOps* known = cache.applied.find(key)) return *known;
  UOps out;
  switch (op) {
    case Op::SHRINK:
      out = shrink_ranges(*arg, rngs);
      break;
    case Op::PERMUTE:
      out = permute_ranges(*arg, rngs);
      break;
    case Op::FLIP:
      out = flip_ranges(*in_shape, *arg, rngs);
      break;
    case Op::EXPAND:
      out.assign(rngs.begin() + static_cast<std::ptrdiff_t>(std::min(arg->size(), rngs.size())), rngs.end());
      break;
    case Op::PAD:
      out = pad_ranges(*in_shape, *arg, rngs);
      break;
    case Op::RESHAPE:
      out = reshape_ranges(cache, store, in_shape, arg, rngs);
      break;
    default:
      throw GraphError(std::string(op_name(op)) + " is not a movement op");
  }
  return cache.applied.keep(key, std::move(out));
}

// ** pm_mops

Shape slice(const Shape& s, size_t begin, size_t end) {
  begin = std::min(begin, s.size());
  return {s.begin() + static_cast<std::ptrdiff_t>(begin),
          s.begin() + static_cast<std::ptrdiff_t>(std::max(begin, std::min(end, s.size())))};
}

// Fewer indices than axes: a RESHAPE that leaves the trailing axes alone can still be passed.
UOp index_prefix_of_reshape(UOp r, UOp idx, std::span<const UOp> idxs) {
  const UOp src = r.src(0);
  const Shape rest = slice(r.shape(), idxs.size(), r.ndim());
  if (src.ndim() < rest.size()) return {};
  const size_t prefix = src.ndim() - rest.size();
  if (slice(src.shape(), prefix, src.ndim()) != rest) return {};
  if (prefix == 0) return src.dtype() == idx.dtype() ? src : UOp{};
  const UOp made = src.index(
      apply_reshape(r.store(), slice(src.shape(), 0, prefix), slice(r.shape(), 0, idxs.size()), idxs), idx.arg());
  return made.shape() == idx.shape() ? made : UOp{};
}

UOp index_of_movement_op(const Match& m) {
  const UOp mop = m[r], index = m[idx];
  const std::span<const UOp> idxs = index.srcs().subspan(1);
  if (idxs.size() == mop.ndim()) return mop.src(0).index(apply_movement_op(mop, idxs), index.arg());
  return mop.is(Op::RESHAPE) ? index_prefix_of_reshape(mop, index, idxs) : UOp{};
}

// The node with its first source replaced; dtype and the rest stay.
UOp with_first_source(UOp u, UOp first) {
  UOps srcs(u.srcs().begin(), u.srcs().end());
  srcs[0] = first;
  return u.with_srcs(srcs);
}

UOp after_below_movement_op(const Match& m) {
  const UOp mop = m[r], after = m[a];
  UOps srcs(mop.srcs().begin(), mop.srcs().end());
  srcs[0] = with_first_source(after, mop.src(0));
  return m.store().make(mop.op(), srcs, mop.arg());
}

}  // namespace

const UOps& apply_movement_op(UOp mop, std::span<const UOp> rngs) {
  Store& store = mop.store();
  auto& cache = store.extension<MovementCache>();
  return apply(cache, store, mop.op(), &mop.src(0).shape(), interned_arg(cache, mop), rngs);
}

const UOps& apply_reshape(Store& store, const Shape& in_shape, const Shape& out_shape, std::span<const UOp> rngs) {
  return apply(store.extension<MovementCache>(), store, Op::RESHAPE, store.intern(in_shape), store.intern(out_shape),
               rngs);
}

const RuleSet& pm_mops() {
  static const RuleSet rules(
      "pm_mops",
      {
          {"index-movement-op", "INDEX on a movement op is INDEX on its source, at the place the op took it from",
           "schedule/rangeify.py:52", pat_any_length(Op::INDEX, {pat(groups::Movement).named(r)}).named(idx),
           index_of_movement_op},
          {"after-under-movement-op", "a movement op or INDEX moves out of an AFTER", "schedule/rangeify.py:54",
           pat_any_length(Op::AFTER, {pat(groups::Movement | OpSet{Op::INDEX}).named(r)}).named(a),
           after_below_movement_op},
          {"end-under-movement-op", "an END ends the source of a movement op", "schedule/rangeify.py:56",
           pat_any_length(Op::END, {pat(groups::Movement).named(r)}).named(a),
           [](const Match& m) { return with_first_source(m[a], m[r].src(0)); }},
      });
  return rules;
}

}  // namespace rangescope::schedule
