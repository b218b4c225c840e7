#include "engine/schedule/linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "engine/ir/call.h"
#include "engine/ir/store.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/copy_kernels.h"
#include "engine/schedule/create_schedule.h"
#include "engine/schedule/flags.h"
#include "engine/schedule/memory.h"
#include "engine/schedule/pipeline.h"
#include "engine/schedule/spec.h"
#include "engine/schedule/tensor_spec.h"

namespace rangescope::schedule {

namespace {

using namespace captures;

// Inside the compiler core an error unwinds.
template <class T>
T unwrapped(Result<T> r) {
  if (!r) throw GraphError(r.error().message);
  return *std::move(r);
}

// What a function was scheduled to, for as long as its store lives.
struct ScheduleCache {
  std::unordered_map<uint32_t, UOp> linear;
};

UOp lower_sink_to_linear(const Match& m) {
  const UOp sink = m[function];
  if (sink.arg().is<KernelInfo>()) return {};
  const Flags& f = flags(m.store());
  auto& cache = m.store().extension<ScheduleCache>().linear;
  if (f.scache != 0)
    if (const auto it = cache.find(sink.id()); it != cache.end()) return it->second;
  if (f.spec != 0) type_verify(sink, spec_tensor(), true);
  const UOp linear = unwrapped(create_schedule(unwrapped(get_kernel_graph(sink)))).linear;
  if (f.scache != 0) cache[sink.id()] = linear;
  return linear;
}

}  // namespace

const RuleSet& pm_schedule() {
  static const RuleSet rules("pm_schedule",
                             {{"schedule-function", "a function's sink of tensors becomes the list of its kernels",
                               "schedule/__init__.py:144", pat(Op::SINK).named(function), lower_sink_to_linear}});
  return rules;
}

namespace {

// What a call gives its body.
struct CallScope {
  std::span<const UOp> args;
  NodeMap buffers;  // an internal buffer of the body -> the one of this call
};

}  // namespace

const RuleSet& pm_post_sched_cache() {
  static const RuleSet rules(
      "pm_post_sched_cache",
      {
          {"param-to-arg", "a parameter is the buffer that the call gives for it", "schedule/__init__.py:94",
           pat(Op::PARAM).named(x),
           [](const Match& m) {
             const int64_t slot = m[x].arg().as<ParamArg>().slot;
             if (slot < 0) return UOp{};
             const auto args = m.context<CallScope>().args;
             if (static_cast<size_t>(slot) >= args.size())
               throw GraphError(
                   fmt::format("a call gives {} arguments, its body asks for number {}", args.size(), slot));
             return args[static_cast<size_t>(slot)];
           }},
          {"new-buffer", "an internal buffer is a new one in every call", "schedule/__init__.py:96",
           pat(Op::BUFFER, {var()}).named(b),
           [](const Match& m) {
             if (!m[b].arg().is<ParamArg>() || m[b].addrspace() != AddrSpace::GLOBAL) return UOp{};
             NodeMap& buffers = m.context<CallScope>().buffers;
             if (!buffers.contains(m[b]))
               buffers.set(m[b], new_buffer(m.store(), m[b].device(), m[b].max_numel(), m[b].dtype()));
             return buffers.get(m[b]);
           }},
      });
  return rules;
}

namespace {

// The scalar parameters that a body may name, as the caller's bound variables. A nested call's own hide the outer ones.
using Binds = std::vector<std::pair<std::string, UOp>>;

Binds binds_of(UOp linear_call, Binds outer) {
  for (size_t i = 0; i + 1 < linear_call.src_count(); ++i) {
    const UOp a = linear_call.src(i + 1);
    if (!a.is_bound_var()) continue;
    const std::string name = fmt::format("p{}", i);
    std::erase_if(outer, [&](const auto& b) { return b.first == name; });
    outer.emplace_back(name, a.src(0).with_op(Op::PARAM));
  }
  return outer;
}

UOp apply_binds(UOp step, const Binds& binds) {
  NodeMap values;
  for (const UOp v : variables(step))
    for (const auto& [name, value] : binds)
      if (v.expr() == name) values.set(v, value);
  UOps srcs;
  for (const UOp s : step.srcs()) srcs.push_back(substitute(s, values, {.name = "resolve scalar params"}));
  return step.with_srcs(srcs);
}

// A call of a list of kernels that is being resolved, and how far.
struct Frame {
  UOp linear;
  Binds binds;
  UOps steps;
};

Frame enter(UOp linear_call, const Binds& outer) {
  CallScope scope{linear_call.srcs().subspan(1), {}};
  const UOp linear = graph_rewrite(linear_call.src(0), pm_post_sched_cache(),
                                   {.name = "params to buffers", .context = &scope, .walk = true});
  return {linear, binds_of(linear_call, outer), {}};
}

UOp resolve_linear_call(const Match& m) {
  std::vector<Frame> stack{enter(m[linear_call], {})};
  while (true) {
    Frame& f = stack.back();
    if (f.steps.size() < f.linear.src_count()) {
      const UOp step = f.linear.src(f.steps.size());
      if (step.is(Op::CALL) && step.src(0).is(Op::LINEAR))
        stack.push_back(enter(step, f.binds));
      else
        f.steps.push_back(apply_binds(step, f.binds));
      continue;
    }
    const UOp done = f.linear.with_srcs(f.steps);
    stack.pop_back();
    if (stack.empty()) return done;
    stack.back().steps.push_back(done);
  }
}

UOp flatten_linear(const Match& m) {
  UOps steps;
  for (const UOp s : m[lin].srcs())
    if (s.is(Op::LINEAR))
      steps.insert(steps.end(), s.srcs().begin(), s.srcs().end());
    else
      steps.push_back(s);
  return m[lin].with_srcs(steps);
}

}  // namespace

const RuleSet& pm_resolve_linear_call() {
  static const RuleSet rules(
      "pm_resolve_linear_call",
      {
          {"resolve-linear-call", "a call of a list of kernels is the list, on the buffers of the call",
           "schedule/__init__.py:114", pat_any_length(Op::CALL, {pat(Op::LINEAR)}).named(linear_call),
           resolve_linear_call},
          {"flatten-linear", "a list inside a list of kernels is spliced into it", "engine/realize.py:234",
           pat(Op::LINEAR).named(lin).early_reject(Op::LINEAR), flatten_linear},
      });
  return rules;
}

namespace {

std::vector<std::pair<std::string, Scalar>> bound_values(UOp big_sink, UOp linear) {
  std::set<std::string> used;
  for (const UOp step : linear.srcs())
    for (const UOp v : variables(step.src(0))) used.insert(v.expr());
  std::vector<std::pair<std::string, Scalar>> values;
  for (const UOp b : big_sink.srcs().subspan(std::min<size_t>(1, big_sink.src_count()))) {
    if (!b.is_bound_var()) continue;
    const auto [variable, value] = unbind(b);
    const std::string& name = variable.expr();
    if (!used.contains(name)) continue;
    const auto known = std::ranges::find_if(values, [&](const auto& v) { return v.first == name; });
    if (known == values.end())
      values.emplace_back(name, value);
    else if (!python_equal(known->second, value))
      throw GraphError(fmt::format("the variable {} is bound to {} and to {}", name, known->second.str(), value.str()));
  }
  return values;
}

LinearProgram linear_program(UOp big_sink) {
  const UOp scheduled = graph_rewrite(big_sink, pm_schedule(), {.name = "schedule to linear", .enter_calls = true});
  UOp linear = graph_rewrite(scheduled, pm_resolve_linear_call(), {.name = "resolve linear call"});
  linear = graph_rewrite(linear, pm_copy_from_store(), {.name = "create COPY kernels for SDMA"});
  LinearProgram out;
  out.var_vals = bound_values(big_sink, linear);
  UOps held;
  if (scheduled.is(Op::CALL))
    for (const UOp a : scheduled.srcs().subspan(1))
      if (a.is(Op::BUFFER)) held.push_back(a);
  out.linear = memory_plan_rewrite(linear, held);
  return out;
}

}  // namespace

Result<LinearProgram> create_linear_with_vars(UOp big_sink) {
  try {
    return linear_program(big_sink);
  } catch (const GraphError& e) {
    return tl::unexpected(Error{e.message()});
  }
}

}  // namespace rangescope::schedule
