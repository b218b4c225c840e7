#include <algorithm>

#include "engine/ir/dim.h"
#include "engine/ir/store.h"
#include "engine/schedule/movement_ops.h"
#include "engine/schedule/remove_bufferize.h"
#include "engine/schedule/stage.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

// Axes can die after ranges are assigned, where an EXPAND stands to the left.
UOp cleanup_dead_axes(const Match& m) {
  const UOp stage = m[b], value = stage.src(0);
  if (!stage.arg().as<StageArg>().removable) return {};
  // the ranges of an AFTER define how it is read, not what is computed
  if (value.in(kAlwaysRun | OpSet{Op::AFTER})) return {};
  const std::span<const UOp> ranges = stage.srcs().subspan(1);
  UOps srcs{value};
  Shape alive;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const UOp r = ranges[i];
    if (r.is(Op::RANGE) && !r.src(0).is_const()) return {};  // a symbolic size
    if (r.is_const() || (r.is(Op::RANGE) && !value.has_range(r))) {
      alive.emplace_back(1);
    } else {
      alive.push_back(stage.shape()[i]);
      srcs.push_back(r);
    }
  }
  if (srcs.size() == stage.src_count()) return {};
  return stage.with_srcs(srcs).reshape(alive).expand(stage.shape());
}

// What is staged is indexed by the very ranges it is staged over: it is in a buffer already.
UOp remove_noop_stage(const Match& m) {
  const UOp index = m[idx], stage = m[buf];
  if (!std::ranges::equal(index.srcs().subspan(1), stage.srcs().subspan(1))) return {};
  return stage.shape().empty() ? index.src(0) : index.src(0).shrink_to(stage.shape());
}

// Whether all that is stored is invalid, in every element of the buffer.
bool all_invalid(UOp after) {
  const UOp buffer = after.src(0).buf_uop();
  return std::ranges::all_of(after.srcs().subspan(1), [&](UOp end) {
    if (!end.is(Op::END) || !end.src(0).is(Op::STORE)) return false;
    const UOp place = end.src(0).src(0);
    if (!end.src(0).src(1).base().is_invalid() || place.buf_uop() != buffer) return false;
    const UOps ended = end.ended_ranges();
    if (!std::ranges::all_of(ended, [&](UOp r) { return place.has_range(r); })) return false;
    Dim count = 1;
    for (const UOp r : ended) count = count * Dim(r.src(0));
    return resolve(count.sym.eq(after.store().dim(buffer.numel())), false);
  });
}

const RuleSet& folding_rules() {
  static const RuleSet rules(
      "pm_const_buffer_folding",
      {
          {"cleanup-dead-axes", "an axis along which nothing changes is not staged", "schedule/rangeify.py:302",
           pat(Op::STAGE).named(b), cleanup_dead_axes},
          {"remove-noop-stage", "a stage of a buffer's own elements is that buffer", "schedule/rangeify.py:304",
           pat_any_length(Op::STAGE, {pat(Op::INDEX).named(idx)}).named(buf), remove_noop_stage},
          {"remove-noop-stage-of-noop", "the same through a NOOP", "schedule/rangeify.py:305",
           pat_any_length(Op::STAGE, {pat(Op::NOOP, {pat_any_length(Op::INDEX, {pat(Op::STAGE)}).named(idx)})})
               .named(buf),
           remove_noop_stage},
          {"const-needs-no-stage", "a constant is the same everywhere", "schedule/rangeify.py:308",
           pat_any_length(Op::STAGE, {pat(Op::CONST).named(c)}).named(b),
           [](const Match& m) { return m[b].const_like(m[c].val()); }},
          {"index-of-const", "an element of a constant is that constant", "schedule/rangeify.py:310",
           pat(Op::INDEX, {pat(Op::CONST).named(c)}), [](const Match& m) { return m[c]; }},
          {"index-of-invalid", "what was never validly stored is invalid", "schedule/rangeify.py:312",
           pat_any_length(Op::INDEX, {pat(Op::AFTER).named(after)}).named(idx),
           [](const Match& m) { return all_invalid(m[after]) ? m[idx].const_like(Scalar::invalid()) : UOp{}; }},
          {"noop-of-const", "a NOOP that has become a constant is one", "schedule/rangeify.py:315",
           pat(Op::NOOP, {cvar(c)}), [](const Match& m) { return m[c]; }},
          {"index-of-deviceless-stack", "a value without a device is the same on every device",
           "schedule/rangeify.py:317", pat_any_length(Op::INDEX, {pat_any_length(Op::MSTACK, {var(s)})}).named(idx),
           [](const Match& m) {
             if (!m[s].device().is_none()) return UOp{};
             UOps srcs(m[idx].srcs().begin(), m[idx].srcs().end());
             srcs[0] = m[s];
             return m[idx].with_srcs(srcs);
           }},
      });
  return rules;
}

}  // namespace

const RuleSet& pm_const_buffer_folding() {
  static const RuleSet rules("pm_const_buffer_folding", {&pm_mops(), &folding_rules()});
  return rules;
}

}  // namespace rangescope::schedule
