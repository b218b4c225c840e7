#include "engine/schedule/remove_bufferize.h"

#include <algorithm>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/small_vector.h"
#include "engine/ir/store.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/flags.h"
#include "engine/schedule/stage.h"
#include "engine/schedule/substitute_ranges.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

// A value that reads more buffers than this is worth a buffer of its own.
constexpr size_t kMostBuffers = 3;

constexpr OpSet kReads{Op::PARAM, Op::STAGE, Op::AFTER};

// What computing a value again would read and do.
struct Cost {
  UOps buffers;  // without duplicates
  UOps indexes;
  bool reads_in_reduce = false;

  bool is_too_high() const { return buffers.size() > kMostBuffers || reads_in_reduce; }
};

// `until_too_high`: no more is found out than that.
Cost cost_of(UOp value, bool until_too_high) {
  Cost cost;
  Marks seen(value.store()), known(value.store());
  const auto add = [&](UOp buffer) {
    if (known.insert(buffer)) cost.buffers.push_back(buffer);
  };
  // Whether to look at the sources too.
  const auto enter = [&](UOp u) {
    switch (u.op()) {
      case Op::AFTER:
        add(u.buf_uop());
        return false;
      case Op::STAGE:
        if (u.arg().as<StageArg>().addrspace != AddrSpace::GLOBAL) return true;
        add(u);
        return false;
      case Op::MSTACK:
        add(u);
        return false;
      case Op::STORE:
        return false;  // what is stored is not read
      case Op::PARAM:
        add(u);
        return true;
      case Op::INDEX:
        cost.indexes.push_back(u);
        return true;
      case Op::REDUCE:
        cost.reads_in_reduce = cost.reads_in_reduce || u.src(0).op_in_backward_slice_with_self(kReads);
        return true;
      default:
        return true;
    }
  };
  SmallVector<UOp, 32> stack{value};
  while (!stack.empty() && !(until_too_high && cost.is_too_high())) {
    const UOp u = stack.back();
    stack.pop_back();
    if (!seen.insert(u) || !enter(u)) continue;
    for (size_t i = u.src_count(); i-- > 0;)
      if (!seen.contains(u.srcs()[i])) stack.push_back(u.srcs()[i]);
  }
  return cost;
}

}  // namespace

// Only nodes over one of the replaced ranges are looked into. The context is the map of the substitution.
const RuleSet& pm_gate_substitute() {
  static const RuleSet rules("pm_gate_substitute",
                             {{"only-below-replaced-ranges", "what does not depend on a replaced range stays as it is",
                               "schedule/rangeify.py:218", pat(groups::All).named(b), [](const Match& m) {
                                 const Ranges& open = m[b].ranges();
                                 const auto& map = m.context<const NodeMap>().items();
                                 const bool depends = std::ranges::any_of(map, [&](const auto& kv) {
                                   return std::ranges::find(open, kv.first) != open.end();
                                 });
                                 return depends ? UOp{} : m.close_gate();
                               }}});
  return rules;
}

namespace {

using Pairs = SmallVector<std::pair<UOp, UOp>, 6>;

// Elements of the stage for one element read, at least: below, computing again costs more than a buffer.
constexpr int64_t kPartialRatio = 10;

bool too_little_reuse(UOp stage, const Cost& cost) {
  Dim read = 0;
  for (const UOp buffer : cost.buffers) read = read + buffer.numel();
  const Dim staged = stage.numel() + Dim(1);
  read = read + Dim(1);
  if (staged.is_int() && read.is_int())
    return static_cast<double>(staged.value) / static_cast<double>(read.value) < static_cast<double>(kPartialRatio);
  Store& store = stage.store();
  const Bounds& b = lt(store.dim(staged).div(store.dim(read)), Scalar(kPartialRatio)).simplify().bounds();
  if (!python_equal(b.min, b.max)) throw GraphError("cannot tell whether a stage of symbolic size is worth its buffer");
  return b.min.truthy();
}

bool over_reduce(UOp u) {
  return std::ranges::any_of(u.ranges(), [](UOp r) { return r.arg().as_tuple().back() == Arg(AxisType::REDUCE); });
}

// PCONTIG > 2: only the axes that a reduce or a local stage needs stay, in a local stage. nullopt: the stage goes away
// altogether. Null: it stays.
std::optional<UOp> partial_stage(UOp value, UOp stage, UOp index, const Cost& cost) {
  if (too_little_reuse(stage, cost)) return UOp{};
  UOps local_indexes;
  for (const UOp u : cost.indexes)
    if (u.src(0).is(Op::STAGE) && u.src(0).arg().as<StageArg>().addrspace == AddrSpace::LOCAL)
      local_indexes.insert(local_indexes.end(), u.srcs().begin() + 1, u.srcs().end());
  const UOp excluded = stage.store().sink(local_indexes);
  Pairs kept, replaced;
  for (size_t i = 1; i < stage.src_count(); ++i) {
    const UOp k = stage.src(i), v = index.src(i);
    if (k.is_const()) continue;
    (excluded.has_range(k) || over_reduce(v) ? kept : replaced).emplace_back(k, v);
  }
  if (replaced.empty()) return UOp{};
  if (kept.empty()) return std::nullopt;
  UOps stage_ranges, index_ranges;
  for (const auto& [k, v] : kept) {
    stage_ranges.push_back(k);
    index_ranges.push_back(v);
  }
  StageArg arg;
  arg.addrspace = AddrSpace::LOCAL;
  return substitute_ranges(value, replaced).bufferize(stage_ranges, arg).index(index_ranges);
}

// The value is computed again where it is read, over the ranges it is read with, unless that costs too much.
UOp remove_stage(const Match& m) {
  const UOp value = m[src], stage = m[buf], index = m[idx];
  if (stage.src_count() != index.src_count()) throw GraphError("a stage is indexed by another number of ranges");
  if (!std::ranges::all_of(stage.srcs().subspan(1), [](UOp r) { return r.in({Op::RANGE, Op::CONST}); }))
    throw GraphError("a stage closes something that is no range");
  if (value.in(kAlwaysRun) || !stage.arg().as<StageArg>().removable) return {};
  const bool may_be_partial = flags(m.store()).pcontig > 2;
  const Cost cost = cost_of(value, !may_be_partial);
  if (cost.is_too_high() && !may_be_partial) return {};
  if (cost.reads_in_reduce) {
    if (const std::optional<UOp> made = partial_stage(value, stage, index, cost)) return *made;
  }
  Pairs replaced;
  for (size_t i = 1; i < stage.src_count(); ++i)
    if (!stage.src(i).is_const() && !index.src(i).is_invalid()) replaced.emplace_back(stage.src(i), index.src(i));
  return substitute_ranges(value, replaced);
}

}  // namespace

const RuleSet& pm_remove_bufferize() {
  static const RuleSet rules(
      "pm_remove_bufferize",
      {
          {"remove-stage", "a value is computed again rather than stored, where that is cheaper",
           "schedule/rangeify.py:323",
           pat_any_length(Op::INDEX, {pat_any_length(Op::STAGE, {var(src)}).named(buf)}).named(idx), remove_stage},
          {"store-to-self", "storing a value where it is does nothing", "schedule/rangeify.py:325",
           var(x).store(var(x)), [](const Match& m) { return m.store().make(Op::NOOP, std::span<const UOp>{}); }},
          {"end-of-noop", "nothing has nothing to end", "schedule/rangeify.py:327",
           pat_any_length(Op::END, {pat(Op::NOOP).named(x)}), [](const Match& m) { return m[x]; }},
      });
  return rules;
}

}  // namespace rangescope::schedule
