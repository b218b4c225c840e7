#include "engine/codegen/reduce.h"

#include <algorithm>
#include <map>

#include "engine/codegen/axis.h"
#include "engine/codegen/broadcast.h"
#include "engine/codegen/float_decomposition.h"
#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/scalar_alu.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/movement_ops.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::codegen {

namespace {

// Storage of a kernel's own: registers or shared memory.
UOp placeholder(Store& store, const std::vector<int64_t>& shape, DType dtype, int64_t slot, AddrSpace space) {
  ParamArg p;
  p.slot = slot;
  p.dtype = strong_dtype(dtype);
  p.addrspace = space;
  Shape dims(shape.begin(), shape.end());
  const Dim size = product(dims);
  const UOp buffer = store.make(Op::BUFFER, {store.shape_arg({&size, 1})}, Arg(std::move(p)));
  return shape.size() > 1 ? buffer.reshape(dims) : buffer;
}

// The invocations of a group reduce their shares, then one loop reduces the shares from shared memory.
UOp reduce_in_group(const Match& m) {
  const UOp x = m[captures::x];
  UOps grouped, rest{x.src(0)};
  for (const UOp u : x.srcs().subspan(1))
    (u.is(Op::RANGE) && second_is(u, {AxisType::GROUP_REDUCE}) ? grouped : rest).push_back(u);
  if (grouped.empty()) return {};
  // the other local ranges around it need their own places in the buffer
  UOps ranges, indices;
  for (const UOp u : toposort(x))
    if (u.is(Op::RANGE) && second_is(u, {AxisType::LOCAL})) ranges.push_back(u);
  indices = ranges;
  UOps loop;
  for (const UOp u : grouped) loop.push_back(u.with_arg(Arg(Arg::Tuple{Arg(axis_id(u) + 100), Arg(AxisType::REDUCE)})));
  ranges.insert(ranges.end(), grouped.begin(), grouped.end());
  indices.insert(indices.end(), loop.begin(), loop.end());
  StageArg stage;
  stage.device = axis_id(grouped[0]);
  stage.addrspace = AddrSpace::LOCAL;
  const UOp buf = x.with_srcs(rest).bufferize(ranges, stage).index(indices);
  return buf.reduce_op(loop, x.arg().as_tuple().at(0).as<Op>());
}

// A MAX begins at the lowest number, where the dtype has no infinity: there it would be NaN.
Scalar start_of(Op op, DType dtype) {
  constexpr DTypeSet kFinite = dtypes::fp8_fnuz | DType::fp8e4m3;
  return op == Op::MAX && kFinite.contains(dtype) ? Scalar(-largest_float(dtype)) : identity_element(op, dtype);
}

UOp reduce_to_accumulator(const Match& m) {
  const UOp r = m[captures::r];
  Store& store = m.store();
  const Arg::Tuple& arg = r.arg().as_tuple();
  const Op op = arg.at(0).as<Op>();
  if (!all_int(r.shape())) throw GraphError("a reduction's result has a symbolic shape");
  auto& context = m.context<ReduceContext>();
  const UOp acc = placeholder(store, r.max_shard_shape(), r.dtype(), context.accumulators++, AddrSpace::REG);
  const std::span<const UOp> loops = r.srcs().subspan(1);
  const UOps topo = toposort(r.src(0));
  Marks not_input(store);
  for (const UOp u : topo)
    if (u.is(Op::END))
      for (const UOp e : u.ended_ranges()) not_input.insert(e);
  for (const UOp u : loops) not_input.insert(u);
  UOps inputs;
  for (const UOp u : topo)
    if (u.is(Op::RANGE) && !not_input.contains(u) && (!context.sums_outlast_stages || r.src(0).has_range(u)))
      inputs.push_back(u);
  const UOp init = acc.after(inputs).store_value(store.constant(start_of(op, r.dtype())));
  UOps ready{init};
  ready.insert(ready.end(), loops.begin(), loops.end());
  const UOp initted = acc.after(ready);
  const UOp inp = arg.at(1).as_int64() != 0 ? store.make(Op::REDUCE, {r.src(0)}, r.arg()) : r.src(0);
  const UOp out = initted.store_value(initted.alu(op, inp)).end(loops).with_tag(Arg("mergeable"));
  return acc.after({out});
}

// What is left of a reduce without loops: an op between the elements of the leading dimensions.
UOp reduce_horizontally(const Match& m) {
  const UOp r = m[captures::r];
  const UOp inp = r.src(0);
  const Arg::Tuple& arg = r.arg().as_tuple();
  const Op op = arg.at(0).as<Op>();
  const std::vector<int64_t> shape = inp.max_shape();
  const auto n = static_cast<size_t>(arg.at(1).as_int64());
  if (n > shape.size()) throw GraphError("a reduce has more dimensions than its source");
  UOp out;
  for_each_index(std::span(shape).first(n), [&](std::span<const int64_t> at) {
    UOps idx;
    for (const int64_t i : at) idx.push_back(m.store().constant(i));
    const UOp v = inp.index(idx);
    out = out ? out.alu(op, v) : v;
  });
  if (!out) throw GraphError("a reduce over no elements");
  return out;
}

// Loops over the same ranges inside the same loops become one; in other loops, each gets ranges of its own.
UOp merge_reduce_ends(const Match& m) {
  const UOp sink = m[captures::sink];
  Store& store = m.store();
  UOps slice = toposort(sink);
  slice.pop_back();
  std::vector<std::pair<UOps, UOps>> by_ranges;
  std::map<std::vector<uint32_t>, size_t> found;
  const auto ids = [](std::span<const UOp> uops) {
    std::vector<uint32_t> r;
    for (const UOp u : uops) r.push_back(u.id());
    return r;
  };
  int64_t next_axis = -1;
  const Arg mergeable("mergeable");
  for (const UOp u : slice) {
    if (u.is(Op::RANGE)) next_axis = std::max(next_axis, axis_id(u));
    if (!u.is(Op::END) || u.tag() != mergeable) continue;
    const std::span<const UOp> ranges = u.srcs().subspan(1);
    const auto [it, fresh] = found.try_emplace(ids(ranges), by_ranges.size());
    if (fresh) by_ranges.emplace_back(UOps(ranges.begin(), ranges.end()), UOps{});
    by_ranges[it->second].second.push_back(u);
  }
  ++next_axis;
  NodeMap subs;
  for (const auto& [ranges, ends] : by_ranges) {
    if (ends.size() <= 1) continue;
    std::vector<UOps> contexts;
    std::map<std::vector<uint32_t>, size_t> context_of;
    for (const UOp e : ends) {
      std::vector<uint32_t> key = ids(e.ranges());
      std::ranges::sort(key);
      const auto [it, fresh] = context_of.try_emplace(std::move(key), contexts.size());
      if (fresh) contexts.emplace_back();
      contexts[it->second].push_back(e);
    }
    for (size_t i = 0; i < contexts.size(); ++i) {
      UOps own = ranges, mapped = contexts[i];
      if (i > 0) {
        NodeMap renamed;
        for (size_t j = 0; j < ranges.size(); ++j) {
          Arg::Tuple arg = ranges[j].arg().as_tuple();
          arg[0] = Arg(next_axis + static_cast<int64_t>(j));
          own[j] = ranges[j].with_arg(Arg(std::move(arg)));
          renamed.set(ranges[j], own[j]);
        }
        next_axis += static_cast<int64_t>(ranges.size());
        for (UOp& e : mapped) e = substitute(e, renamed);
      }
      UOp merged = mapped[0];
      if (mapped.size() > 1) {
        UOps bodies;
        for (const UOp e : mapped) bodies.push_back(e.src(0));
        merged = store.group(bodies).end(own);
      }
      for (const UOp e : contexts[i]) subs.set(e, merged);
    }
  }
  return subs.empty() ? UOp{} : substitute(sink, subs);
}

UOp buffer_for_stage(const Match& m) {
  const UOp x = m[captures::x];
  const std::span<const UOp> ranges = x.srcs().subspan(1);
  const UOp buf =
      placeholder(m.store(), x.max_shape(), x.dtype(), m.context<int64_t>()++, x.arg().as<StageArg>().addrspace);
  return buf.after({buf.index(ranges).store_value(x.src(0)).end(ranges)});
}

}  // namespace

const RuleSet& pm_reduce_local() {
  using namespace captures;
  static const RuleSet own(
      "reduce local",
      {
          {"reduce-in-group", "a reduction shared by a workgroup goes through shared memory", "codegen/__init__.py:229",
           pat(Op::REDUCE).named(x), reduce_in_group},
          {"reduce-to-accumulator", "a reduction in a loop is an accumulator: set, updated in the loop, read after it",
           "codegen/__init__.py:231", pat_any_length(Op::REDUCE, {var(), var()}).named(r), reduce_to_accumulator},
          {"reduce-horizontally", "a reduction of a vector's own elements is written out", "codegen/__init__.py:232",
           pat(Op::REDUCE, {var()}).named(r), reduce_horizontally},
          {"merge-reduce-loops", "reductions over the same ranges share a loop", "codegen/__init__.py:233",
           pat(Op::SINK).named(sink), merge_reduce_ends},
      });
  static const RuleSet rules("pm_reduce_local", {&pm_wmma_add(), &own, &symbolic::pm_clean_up_group_sink()});
  return rules;
}

const RuleSet& pm_add_local_buffers() {
  using namespace captures;
  static const RuleSet own("local buffers",
                           {{"buffer-for-stage", "a staged value is stored to a buffer of its own, then read from it",
                             "codegen/__init__.py:249", pat(Op::STAGE).named(x), buffer_for_stage}});
  static const RuleSet rules("pm_add_local_buffers", {&own, &schedule::pm_mops()});
  return rules;
}

}  // namespace rangescope::codegen
