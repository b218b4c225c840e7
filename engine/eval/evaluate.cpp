#include "engine/eval/evaluate.h"

#include <algorithm>
#include <stdexcept>

#include "engine/eval/elementwise.h"
#include "engine/eval/evaluator.h"
#include "engine/ir/call.h"
#include "engine/ir/traversal.h"

namespace rangescope::eval {

namespace {

std::vector<BufferResult> results(Evaluator& evaluator, bool already_written) {
  Memory& memory = evaluator.memory();
  std::vector<const Writes*> writes;
  for (const Writes& w : evaluator.writes()) writes.push_back(&w);
  std::vector<BufferResult> out;
  for (size_t i = 0; i < memory.buffers().size(); ++i) {
    const Buffer& b = memory.buffers()[i];
    const auto& p = b.node.arg().as<ParamArg>();
    if (!b.node.is(Op::PARAM) || p.slot < 0 || p.addrspace != AddrSpace::GLOBAL) continue;
    BufferResult r{p.slot, b.dtype, b.devices, b.count, b.initial.data, b.content.data};
    if (!already_written) r.after = memory.written(i, b.content, writes).data;
    out.push_back(std::move(r));
  }
  std::ranges::stable_sort(out, {}, &BufferResult::slot);
  return out;
}

template <class Run>
Result<Outcome> guarded(const Inputs& inputs, Run run) {
  try {
    Meter meter(inputs.limits, inputs.round_each);
    Evaluator evaluator(inputs, meter, nullptr, 0);
    Outcome out = run(evaluator);
    out.work = meter.used();
    return out;
  } catch (const GraphError& e) {
    return tl::unexpected(Error{e.message()});
  } catch (const std::out_of_range&) {
    return tl::unexpected(Error{"the graph is malformed: an axis or an argument that an op needs is not there"});
  } catch (const std::bad_alloc&) {
    return tl::unexpected(Error{"evaluating needs more memory than there is"});
  }
}

}  // namespace

bool BufferResult::changed() const {
  return before != after && (before->floats != after->floats || before->ints != after->ints);
}

double BufferResult::element(size_t i) const {
  const double x = float_at(*after, dtype, static_cast<int64_t>(i));
  return is_float(dtype) ? rounded(x, dtype) : x;
}

Inputs inputs_of(UOp graph) {
  Inputs inputs;
  for (const UOp u : toposort(graph))
    if (u.is_bound_var()) {
      const auto [variable, value] = unbind(u);
      if (const auto v = value.to_int().to_int64()) inputs.variables[variable.expr()] = *v;
    }
  constexpr OpSet kParts =
      groups::Movement | OpSet{Op::UNSHARD, Op::MSELECT, Op::AFTER, Op::BITCAST, Op::DETACH, Op::INDEX};
  for (const UOp u : toposort(graph, false)) {  // slots within a body are others
    UOp x = u;
    if (u.in({Op::UNSHARD, Op::MSELECT}))
      while (x.src_count() > 0 && x.in(kParts)) x = x.src(0);
    else if (!u.is(Op::PARAM) || !u.arg().as<ParamArg>().axis)
      continue;
    if (x.is(Op::PARAM)) inputs.sharded.insert(x.arg().as<ParamArg>().slot);
  }
  return inputs;
}

Result<Outcome> evaluate(UOp root, const Inputs& inputs) {
  return guarded(inputs, [&](Evaluator& evaluator) {
    Outcome out;
    out.values = evaluator.run(root);
    out.stores = !evaluator.writes().empty();
    out.buffers = results(evaluator, false);
    return out;
  });
}

Result<Outcome> evaluate_schedule(std::span<const ScheduledKernel> calls, const Inputs& inputs) {
  return guarded(inputs, [&](Evaluator& evaluator) {
    std::vector<std::pair<UOp, UOps>> list;
    for (const ScheduledKernel& call : calls) list.emplace_back(call.ast, call.buffers);
    Outcome out;
    evaluator.run_calls(list);
    out.stores = true;
    out.buffers = results(evaluator, true);
    return out;
  });
}

}  // namespace rangescope::eval
