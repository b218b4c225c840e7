#include "engine/schedule/apply_rangeify.h"

#include <algorithm>

#include "engine/ir/error.h"
#include "engine/schedule/indexing_context.h"
#include "engine/schedule/stage.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

IndexingContext& indexing(const Match& m) {
  return m.context<IndexingContext>();
}

// The ranges at the realized axes.
UOps at_axes(const UOps& ranges, const Axes& axes) {
  UOps out;
  for (size_t i = 0; i < ranges.size(); ++i)
    if (std::ranges::find(axes, static_cast<int64_t>(i)) != axes.end()) out.push_back(ranges[i]);
  return out;
}

// A source that is materialized: a STORE is ended, anything else is staged over the ranges that close there.
UOp realized_source(IndexingContext& ctx, UOp s, const UOps* source_ranges) {
  const std::optional<Axes> axes = *ctx.realize_map.find(s);
  const NodeRanges* ranges = ctx.range_map.find(s);
  if (!axes || ranges == nullptr) throw GraphError("a value to materialize was never given ranges");
  const UOps closed = at_axes(ranges->out, *axes);
  if (s.is(Op::STORE)) {
    UOps ended;
    std::ranges::copy_if(closed, std::back_inserter(ended), [](UOp r) { return r.is(Op::RANGE); });
    ctx.realize_map.erase(s);
    return s.end(ended);
  }
  StageArg arg;
  arg.device = stage_device(s.device());
  arg.addrspace = ranges->out.size() == axes->size() ? AddrSpace::GLOBAL : AddrSpace::LOCAL;
  arg.removable = !s.in(kAlwaysContiguous) && !ctx.non_removable.contains(s);
  const UOp stage = s.bufferize(closed, arg);
  return source_ranges == nullptr ? stage : stage.index(at_axes(*source_ranges, *axes));
}

UOps indexed_sources(IndexingContext& ctx, UOp x) {
  constexpr OpSet buffers{Op::PARAM, Op::BUFFER, Op::MSTACK, Op::MSELECT, Op::AFTER};
  const NodeRanges* ranges = ctx.range_map.find(x);
  const size_t data_count = data_source_count(x);
  UOps out;
  for (const UOp s : x.srcs()) {
    UOps source_ranges;
    if (ranges != nullptr) source_ranges = broadcast_ranges(x, s, ranges->in);
    if (s.in(buffers))
      out.push_back(ranges != nullptr && out.size() < data_count ? s.index(source_ranges) : s);
    else if (ctx.realize_map.contains(s))
      out.push_back(realized_source(ctx, s, ranges == nullptr ? nullptr : &source_ranges));
    else
      out.push_back(s);
  }
  return out;
}

UOp reduce_over_ranges(const Match& m) {
  IndexingContext& ctx = indexing(m);
  const UOp red = m[x];
  const Op op = red.arg().as_tuple().at(0).as<Op>();
  const auto axes = static_cast<size_t>(red.arg().as_tuple().at(1).as_int64());
  if (axes == 0) return {};
  if (!ctx.range_map.contains(red)) throw GraphError("a REDUCE has no ranges: nothing that is scheduled uses it");
  UOps srcs{indexed_sources(ctx, red)[0]};
  const UOps& in = ctx.range_map.find(red)->in;
  srcs.insert(srcs.end(), in.begin(), in.begin() + static_cast<std::ptrdiff_t>(std::min(axes, in.size())));
  return m.store().make(Op::REDUCE, srcs, Arg(Arg::Tuple{Arg(op), Arg(0)}));
}

UOp pad_to_where(const Match& m) {
  IndexingContext& ctx = indexing(m);
  const UOp pad = m[x];
  if (!ctx.range_map.contains(pad)) return {};
  const UOp value = indexed_sources(ctx, pad)[0];
  UOps valids;
  for (const UOp r : ctx.range_map.find(pad)->in) valids.push_back(r.get_valid());
  const UOp valid = m.store().constant(Scalar(true)).uprod(valids);
  return valid.where(value, m.store().constant(dtype_const(pad.dtype(), Scalar(0))));
}

UOp stack_to_where(const Match& m) {
  IndexingContext& ctx = indexing(m);
  const UOp stack = m[x];
  if (!ctx.range_map.contains(stack) || stack.dtype() == DType::void_) return {};
  const UOps values = indexed_sources(ctx, stack);
  const UOp leading = ctx.range_map.find(stack)->out.at(0);
  UOp out = values.back();
  for (size_t i = values.size() - 1; i-- > 0;) out = leading.eq(Scalar(static_cast<int64_t>(i))).where(values[i], out);
  return out;
}

UOp index_sources(const Match& m) {
  if (m[x].in({Op::STAGE, Op::INDEX})) return {};
  return m[x].with_srcs(indexed_sources(indexing(m), m[x]));
}

UOp drop_movement_op(const Match& m) {
  return indexing(m).range_map.contains(m[x]) || m[x].src(0).is(Op::INDEX) ? m[x].src(0) : UOp{};
}

UOp place_stage(const Match& m) {
  StageArg arg = m[b].arg().as<StageArg>();
  if (arg.addrspace != AddrSpace::GLOBAL || !std::holds_alternative<std::monostate>(arg.device)) return {};
  arg.device = stage_device(m.context<const Device>());
  return m[b].with_arg(Arg(arg));
}

}  // namespace

const RuleSet& pm_apply_rangeify() {
  static const RuleSet rules("pm_apply_rangeify",
                             {
                                 {"reduce-over-ranges", "a REDUCE over axes becomes one over ranges",
                                  "schedule/indexing.py:136", pat(Op::REDUCE).named(x), reduce_over_ranges},
                                 {"pad-to-where", "a PAD selects between the value and 0, where its ranges say",
                                  "schedule/indexing.py:138", pat(Op::PAD).named(x), pad_to_where},
                                 {"stack-to-where", "a STACK selects a source by its leading range",
                                  "schedule/indexing.py:140", pat(Op::STACK).named(x), stack_to_where},
                                 {"index-sources", "buffers are indexed, materialized sources are staged",
                                  "schedule/indexing.py:142", pat(groups::All).named(x), index_sources},
                                 {"drop-movement-op", "the ranges say what a movement op said",
                                  "schedule/indexing.py:144", pat(groups::Movement).named(x), drop_movement_op},
                             });
  return rules;
}

const RuleSet& pm_fix_deviceless() {
  static const RuleSet rules("pm_fix_deviceless",
                             {{"place-stage", "a stage of a value without a device goes where the result is",
                               "schedule/indexing.py:148", pat(Op::STAGE).named(b), place_stage}});
  return rules;
}

}  // namespace rangescope::schedule
