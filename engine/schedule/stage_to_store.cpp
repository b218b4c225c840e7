#include "engine/schedule/stage_to_store.h"

#include <algorithm>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/store.h"
#include "engine/schedule/movement_ops.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

UOps sorted_by_arg(UOps ranges) {
  std::ranges::stable_sort(ranges, [](UOp p, UOp q) { return p.arg().compare(q.arg()) < 0; });
  return ranges;
}

// A stage of an AFTER is its buffer already: the stores only need to be ended.
UOp end_stores(UOp after, const UOps& ranges) {
  const UOp buffer = after.src(0).buf_uop().base();
  UOps ended;
  for (const UOp store : after.srcs().subspan(1)) {
    if (!store.is(Op::STORE) || !store.src(0).is(Op::INDEX)) continue;
    UOp place = store.src(0);
    // a stage of an INDEX: store through the index below it
    if (const UOp inner = place.src(0); inner.is(Op::STAGE) && inner.src(0).is(Op::INDEX)) place = inner.src(0);
    if (store.src(1) == place) continue;  // to itself
    UOps open = place.ranges();
    for (const UOp r : ranges)
      if (std::ranges::find(open, r) == open.end()) open.push_back(r);
    ended.push_back(place.store_value(store.src(1)).end(sorted_by_arg(std::move(open))));
  }
  return buffer.after(ended);
}

UOp flatten_stage(const Match& m) {
  const UOp stage = m[x];
  if (stage.src_count() == 2) return {};
  const Shape& shape = stage.shape();
  const std::span<const UOp> ranges = stage.srcs().subspan(1);
  const UOps flat = apply_reshape(m.store(), {stage.numel()}, shape, ranges);
  UOp made = stage.with_srcs({stage.src(0), flat.at(0)}).reshape(shape);
  // the stage has the largest size of a symbolic axis, what is read has the actual one
  if (std::ranges::any_of(ranges, [](UOp r) { return r.is(Op::RANGE) && !r.src(0).is_const(); })) {
    std::vector<std::pair<Dim, Dim>> actual;
    for (const UOp r : ranges) actual.emplace_back(Dim(0), r.is_const() ? Dim(1) : Dim(r.src(0)));
    made = made.shrink(actual);
  }
  return made;
}

UOp index_below_weak_cast(const Match& m) {
  UOps srcs(m[u].srcs().begin(), m[u].srcs().end());
  srcs[0] = m[buf];
  return m[u].rederive(srcs).cast(m[u].dtype());
}

UOp reshape_after_shards(const Match& matched) {
  const UOp shards = matched[captures::m];
  UOps srcs;
  for (const UOp s : shards.srcs()) srcs.push_back(s.src(0).base());
  return shards.with_srcs(srcs).reshape(shards.shape());
}

UOp call_without_reshapes(const Match& m) {
  UOps srcs;
  for (const UOp s : m[k].srcs()) srcs.push_back(s.is(Op::RESHAPE) ? s.src(0) : s);
  return m[k].with_srcs(srcs);
}

UOp noop(const Match& m) {
  return m.store().make(Op::NOOP, std::span<const UOp>{});
}

bool is_noop_dependency(UOp u) {
  while (u.is(Op::END)) u = u.src(0);
  return u.is(Op::NOOP) && u.src_count() == 0;
}

UOp without_noop_dependencies(const Match& m) {
  UOps srcs;
  for (const UOp s : m[x].srcs())
    if (srcs.empty() || !is_noop_dependency(s)) srcs.push_back(s);
  if (srcs.size() == m[x].src_count()) return {};
  return srcs.size() == 1 ? srcs[0] : m[x].with_srcs(srcs);
}

const RuleSet& buffer_rules() {
  static const Pat invalid = pat(Op::CONST).with_arg(Arg(Scalar::invalid()));
  static const RuleSet rules(
      "pm_add_buffers",
      {
          {"stage-to-store", "a stage becomes a buffer after the store into it", "schedule/rangeify.py:446",
           pat(Op::STAGE, {var(), var(idx)}).named(x),
           [](const Match& m) { return bufferize_to_store(m.context<SlotCounter>(), m[x], m[idx], false); }},
          {"index-below-weak-cast", "the element is cast, not the whole buffer", "schedule/rangeify.py:450",
           pat_any_length(Op::INDEX, {pat(Op::CAST, {var(buf)}).with_dtype({DType::weakint, DType::weakfloat})})
               .named(u),
           index_below_weak_cast},
          {"reshape-after-shards", "shards that are reshaped alike are reshaped once", "schedule/rangeify.py:454",
           pat_repeated({Op::MSELECT, Op::MSTACK}, pat(Op::RESHAPE)).named(captures::m), reshape_after_shards},
          {"call-without-reshapes", "a call takes buffers, not views that only reshape them",
           "schedule/rangeify.py:458", pat(Op::CALL).named(k), call_without_reshapes},
          {"store-of-contiguous-invalid", "an invalid value is not stored", "schedule/rangeify.py:461",
           pat(Op::STORE, {var(), pat(Op::CONTIGUOUS, {invalid})}), noop},
          {"skip-store-of-invalid", "an invalid value is not stored", "schedule/rangeify.py:462",
           pat(Op::STORE, {var(), invalid}), noop},
          {"after-noop", "there is no waiting for nothing", "schedule/rangeify.py:463", pat(Op::AFTER).named(x),
           without_noop_dependencies},
      });
  return rules;
}

}  // namespace

UOp bufferize_to_store(SlotCounter& slots, UOp stage, UOp idx, bool allow_locals) {
  const Dim size = stage.numel();
  if (!size.is_int() || size.value <= 0) throw GraphError("a stage needs a size above zero that is no expression");
  const UOp value = stage.src(0);
  const UOps ranges = sorted_by_arg(idx.ranges());
  if (value.is(Op::AFTER)) return end_stores(value, ranges);

  const auto& arg = stage.arg().as<StageArg>();
  if (arg.addrspace != AddrSpace::GLOBAL && !allow_locals) return {};
  ParamArg param;
  param.slot = slots.next++;
  param.dtype = strong_dtype(stage.dtype());  // storage is never weak
  if (arg.addrspace == AddrSpace::GLOBAL) {
    if (const Device* device = std::get_if<Device>(&arg.device)) param.device = *device;
  } else {
    param.addrspace = AddrSpace::LOCAL;
  }
  const DType dtype = param.dtype;
  Store& store = stage.store();
  const UOp buffer = store.make(Op::BUFFER, {store.shape_arg(std::span(&size, 1))}, Arg(std::move(param)));
  return buffer.after({buffer.index({idx}).store_value(value.cast(dtype)).end(ranges)}).cast(stage.dtype());
}

const RuleSet& pm_flatten_bufferize() {
  static const RuleSet rules("pm_flatten_bufferize",
                             {{"flatten-stage", "a stage is over one flat index", "schedule/rangeify.py:435",
                               pat(Op::STAGE).named(x), flatten_stage}});
  return rules;
}

const RuleSet& pm_add_buffers() {
  static const RuleSet rules("pm_add_buffers", {&pm_mops(), &pm_flatten_bufferize(), &buffer_rules()});
  return rules;
}

const RuleSet& pm_add_param_range_tags() {
  static const RuleSet rules(
      "pm_add_param_range_tags",
      {{"mark-unnumbered", "kernels number their parameters and ranges from 0", "schedule/rangeify.py:544",
        pat({Op::PARAM, Op::RANGE}).named(x), [](const Match& m) { return m[x].with_tag(Arg(Arg::Tuple{})); }}});
  return rules;
}

}  // namespace rangescope::schedule
