#include "engine/schedule/multi.h"

#include "engine/ir/call.h"
#include "engine/ir/sharding.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/allreduce.h"
#include "engine/schedule/flags.h"
#include "engine/schedule/multi_rules.h"

namespace rangescope::schedule {

namespace {

using namespace captures;

// The offset and size of a SHRINK as the `i`-th device sees them.
Dim on_device(const Dim& d, int64_t i) {
  if (d.is_int()) return d;
  for (const UOp r : d.sym.ranges())
    if (r.arg().as_tuple().back() == Arg(AxisType::DEVICE)) {
      const std::pair<UOp, UOp> device[] = {{r, r.const_like(Scalar(i))}};
      return {substitute(d.sym, device)};
    }
  return d;
}

UOp apply_shrink(const std::vector<std::pair<Dim, Dim>>& marg, UOp value, size_t i) {
  std::vector<std::pair<Dim, Dim>> arg;
  arg.reserve(marg.size());
  for (const auto& [offset, size] : marg)
    arg.emplace_back(on_device(offset, static_cast<int64_t>(i)), on_device(size, static_cast<int64_t>(i)));
  return value.mop(Op::SHRINK, std::span<const std::pair<Dim, Dim>>(arg));
}

UOp mstack_early_shrink(const Match& m) {
  const auto marg = m[shrink].marg_pairs();
  UOps parts;
  for (size_t i = 0; i < m[ms].src_count(); ++i) {
    const UOp part = m[ms].src(i);
    parts.push_back(part.is(Op::COPY) ? copy_to_device(apply_shrink(marg, part.src(0), i), part.device())
                                      : apply_shrink(marg, part, i).contiguous());
  }
  return m[ms].with_srcs(parts);
}

UOp lower_broadcast_copy(const Match& m) {
  const Device& devices = m[c].device();
  if (!devices.is_tuple || m[x].device().is_tuple || m[x].device().is_none()) return {};
  UOps parts;
  if (const UOp value = m[x].simplify(); value.device().is_none())
    parts = UOps(devices.names.size(), value);
  else
    for (const std::string& d : devices.names) parts.push_back(copy_to_device(m[x], Device::single(d)));
  return m.store().make(Op::MSTACK, parts);
}

UOp copy_to_one(const Match& m) {
  const Device& device = m[c].device();
  if (device.is_tuple || device.is_none() || !m[x].device().is_tuple) return {};
  return copy_to_device(mselect(m[x], 0), device);
}

UOp mselect_before_movement(const Match& m) {
  UOps srcs(m[v].srcs().begin(), m[v].srcs().end());
  srcs[0] = mselect(m[s], m[ms].arg().as_int64());
  return m[v].with_srcs(srcs);
}

}  // namespace

const RuleSet& replace_allreduce() {
  static const RuleSet rules(
      "replace_allreduce",
      {
          {"allreduce-early", "an ALLREDUCE becomes copies and sums before anything else (LATE_ALLREDUCE=0)",
           "schedule/multi.py:44", pat(Op::ALLREDUCE, {var(buf)}).named(red),
           [](const Match& m) {
             return flags(m.store()).late_allreduce != 0 ? UOp{} : handle_allreduce(m[buf], m[red]);
           }},
          {"copy-broadcast", "a copy from one device to several is one copy each, stacked", "schedule/multi.py:30",
           pat(Op::COPY, {var(x)}).named(c), lower_broadcast_copy},
          {"copy-to-one", "a copy from several devices to one takes the first device's value", "schedule/multi.py:32",
           pat(Op::COPY, {var(x)}).named(c), copy_to_one},
          {"mselect-of-mstack", "selecting a device's value of a stack is the value put there", "schedule/multi.py:35",
           pat(Op::MSELECT, {pat(Op::MSTACK).named(mstack)}).named(ms),
           [](const Match& m) { return m[mstack].src(static_cast<size_t>(m[ms].arg().as_int64())); }},
          {"shrink-before-mstack", "a shrink of a stack over devices is a stack of shrinks, before their copies",
           "schedule/multi.py:37", pat_any_length(Op::SHRINK, {pat(Op::MSTACK).named(ms)}).named(shrink),
           mstack_early_shrink},
          {"mselect-before-movement", "a device is selected before its value is moved", "schedule/multi.py:39",
           pat(Op::MSELECT, {pat_any_length(groups::Movement, {var(s)}).named(v)}).named(ms), mselect_before_movement},
      });
  return rules;
}

namespace {

const RuleSet& unshard_rules() {
  const Pat sharded = pat(Op::UNSHARD).named(multi);
  static const RuleSet rules(
      "unshard",
      {
          {"multi-param", "a sharded parameter is its shard on each device", "schedule/multi.py:286",
           pat(Op::PARAM).named(p), param_to_multi},
          {"multi-alu", "an operation on sharded values is done shard by shard", "schedule/multi.py:287",
           pat(groups::ALU).named(root).early_reject(Op::UNSHARD), alu_multi},
          {"multi-reduce", "a reduce is done shard by shard; over the sharded axis an allreduce joins the parts",
           "schedule/multi.py:288", pat(Op::REDUCE, {sharded}).named(root), reduce_multi},
          {"multi-reshape", "a reshape that keeps shards whole is done shard by shard", "schedule/multi.py:289",
           pat(Op::RESHAPE, {sharded, var()}).named(root), reshape_multi},
          {"multi-expand", "an expand is done shard by shard, the sharded axis moves right", "schedule/multi.py:290",
           pat(Op::EXPAND, {sharded, var()}).named(root), expand_multi},
          {"multi-pad", "a pad of other axes is done shard by shard", "schedule/multi.py:291",
           pat(Op::PAD, {sharded, var(), var()}).named(root), pad_multi},
          {"multi-shrink", "a shrink is done shard by shard, or picks the shard that it asks for",
           "schedule/multi.py:292", pat(Op::SHRINK, {sharded, var(), var()}).named(root), shrink_multi},
          {"multi-permute", "a permute is done shard by shard, the sharded axis moves along", "schedule/multi.py:293",
           pat(Op::PERMUTE, {sharded}).named(root), permute_multi},
          {"multi-flip", "a flip of other axes is done shard by shard", "schedule/multi.py:294",
           pat(Op::FLIP, {sharded}).named(root), flip_multi},
          {"multi-stack", "a stack of sharded values is a sharded stack", "schedule/multi.py:295",
           pat(Op::STACK).named(root).early_reject(Op::UNSHARD), stack_multi},
          {"multi-index", "an index into a sharded value is an index into the shard that it falls in",
           "schedule/multi.py:296", pat_any_length(Op::INDEX, {sharded}).named(root), index_multi},
          {"multi-store-after", "a sharded value that was stored whole is stored shard by shard",
           "schedule/multi.py:297",
           pat(Op::AFTER,
               {pat(Op::UNSHARD), pat(Op::STORE, {pat(Op::UNSHARD).named(dest), pat(Op::UNSHARD).named(src)})}),
           store_after_multi},
          {"multi-copy", "a copy of a sharded value joins the shards", "schedule/multi.py:298",
           pat(Op::COPY, {sharded}).named(copy),
           [](const Match& m) { return copy_multi(m[multi], m[copy].arg().as_device()); }},
          {"multi-allreduce", "an allreduce of a sharded value is one of its shards", "schedule/multi.py:299",
           pat(Op::ALLREDUCE, {sharded}).named(red),
           [](const Match& m) {
             return unshard_like(m.store().make(Op::ALLREDUCE, {m[multi].src(0)}, m[red].arg()), m[multi]);
           }},
          {"multi-gettuple-of-tuple", "an element of a tuple is the value put there", "schedule/multi.py:303",
           pat(Op::GETTUPLE, {pat(Op::TUPLE).named(t)}).named(g),
           [](const Match& m) { return m[t].src(static_cast<size_t>(m[g].arg().as_int64())); }},
          {"multi-gettuple", "an element of a sharded call is sharded alike", "schedule/multi.py:305",
           pat(Op::GETTUPLE, {sharded}).named(g),
           [](const Match& m) {
             if (!m[multi].src(0).in({Op::FUNCTION, Op::TUPLE})) return m[multi];
             return unshard_like(gettuple(m[multi].src(0), m[g].arg().as_int64()), m[multi]);
           }},
          {"multi-function", "the body of a function is rewritten for the shards of its arguments",
           "schedule/multi.py:308", pat(Op::FUNCTION).named(call), rewrite_into_function},
          {"multi-passthrough-after", "what waits for or calls a sharded value does so shard by shard",
           "schedule/multi.py:309", pat_any_length({Op::CALL, Op::FUNCTION, Op::AFTER}, {sharded}).named(root),
           passthrough_multi},
          {"multi-call-args", "a call takes the shards of its arguments", "schedule/multi.py:311",
           pat(Op::CALL).with_dtype(DType::void_).named(root).early_reject(Op::UNSHARD),
           [](const Match& m) {
             UOps srcs;
             for (const UOp u : m[root].srcs()) srcs.push_back(shard_value(u));
             return m.store().make(m[root].op(), m[root].dtype(), srcs, m[root].arg());
           }},
          {"multi-passthrough-cast", "a cast or a hint is given shard by shard", "schedule/multi.py:313",
           pat({Op::CAST, Op::BITCAST, Op::CONTIGUOUS, Op::DETACH, Op::CONTIGUOUS_BACKWARD}, {sharded}).named(root),
           passthrough_multi},
          {"multi-store-value", "a sharded value is stored shard by shard into its part of the whole",
           "schedule/multi.py:316", pat(Op::STORE, {var(dest), sharded}), store_value_multi},
          {"multi-store-dest", "a store into a sharded destination is a store into each shard", "schedule/multi.py:318",
           pat_any_length(Op::STORE, {sharded}).named(root), store_dest_multi},
      });
  return rules;
}

}  // namespace

const RuleSet& multi_pm() {
  static const RuleSet rules("multi_pm", {&unshard_rules(), &replace_allreduce()});
  return rules;
}

}  // namespace rangescope::schedule
