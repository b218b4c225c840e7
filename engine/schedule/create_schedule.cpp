#include "engine/schedule/create_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "engine/ir/call.h"
#include "engine/ir/traversal.h"
#include "engine/schedule/reachability.h"

namespace rangescope::schedule {

namespace {

constexpr OpSet kBufferStates{Op::AFTER, Op::BUFFER, Op::PARAM};

// Where the data of a kernel's argument comes from: the state of a buffer, or several joined over devices.
UOp unwrap_src(UOp s) {
  while (s.src_count() > 0 && !s.in(kBufferStates | OpSet{Op::MSELECT, Op::MSTACK})) s = s.src(0);
  return s;
}

// The states of buffers below an argument, from the first device to the last.
void add_states(UOp arg, UOps& states) {
  UOps stack{arg};
  while (!stack.empty()) {
    const UOp s = unwrap_src(stack.back());
    stack.pop_back();
    if (s.in({Op::MSELECT, Op::MSTACK})) {
      stack.insert(stack.end(), s.srcs().rbegin(), s.srcs().rend());
      continue;
    }
    if (!s.in(kBufferStates))
      throw GraphError(fmt::format("an argument of a kernel must be the state of a buffer, not {} (node {})",
                                   op_name(s.op()), s.id()));
    states.push_back(s);
  }
}

// What an AFTER waits for.
struct Waits {
  UOps kernels;  // CALL, or END of one
  UOps afters;
};

Waits split_after(UOp after) {
  Waits w;
  for (const UOp s : after.srcs().subspan(1)) {
    if (s.in({Op::CALL, Op::END}))
      w.kernels.push_back(s);
    else if (s.is(Op::AFTER))
      w.afters.push_back(s);
    else if (!s.is(Op::STORE))
      throw GraphError(
          fmt::format("AFTER (node {}) can wait for calls, their ends, stores and other AFTERs, not for {}", after.id(),
                      op_name(s.op())));
  }
  return w;
}

// What is under a call's END, or the call itself.
UOp call_of_kernel(UOp kernel) {
  const UOp call = kernel.is(Op::END) ? kernel.src(0) : kernel;
  if (!call.is(Op::CALL))
    throw GraphError(
        fmt::format("END (node {}) in a kernel graph must end a CALL, not {}", kernel.id(), op_name(call.op())));
  return call;
}

// A write of a buffer: the AFTER that is its new state, and the kernels that this state adds.
struct Write {
  UOp after;
  UOps kernels;
};

struct Read {
  UOp after;  // the state that the reading kernel makes
  UOp kernel;
  UOp state;  // what it reads
};

class Dependencies {
 public:
  explicit Dependencies(UOp sink) : sink_(sink) {
    for (const UOp u : toposort(sink, [](UOp x) { return !is_body(x); }))
      if (u.is(Op::AFTER)) add(u);
    add_write_after_read();
  }

  // Kernels whose dependencies come before them; those that are ready first come first.
  UOps order() const {
    std::vector<size_t> waiting = in_degree_;
    std::vector<size_t> queue;
    for (size_t k = 0; k < kernels_.size(); ++k)
      if (waiting[k] == 0) queue.push_back(k);
    for (size_t i = 0; i < queue.size(); ++i)
      for (const size_t c : children_[queue[i]])
        if (--waiting[c] == 0) queue.push_back(c);
    if (queue.size() != kernels_.size())
      throw GraphError("kernels wait for each other in a circle: a buffer is written and read in no possible order");
    UOps out;
    for (const size_t k : queue) out.push_back(kernels_[k]);
    return out;
  }

 private:
  // What stands inside a kernel is not part of the graph of kernels.
  static bool is_body(UOp u) { return u.is(Op::LINEAR) || (u.is(Op::SINK) && u.arg().is<KernelInfo>()); }

  size_t index(UOp kernel) {
    const auto [it, fresh] = index_.try_emplace(kernel.id(), kernels_.size());
    if (fresh) {
      kernels_.push_back(kernel);
      children_.emplace_back();
      in_degree_.push_back(0);
    }
    return it->second;
  }
  void add_edge(UOp before, UOp after) {
    const size_t b = index_.at(before.id());
    const size_t a = index_.at(after.id());
    children_[b].push_back(a);
    ++in_degree_[a];
  }
  const Waits& waits(UOp after) {
    const auto it = waits_.find(after.id());
    return it != waits_.end() ? it->second : waits_.emplace(after.id(), split_after(after)).first->second;
  }
  // UOp::buf_uop of a state, without walking the chain of AFTERs again for every one of them.
  UOp buffer_of(UOp state) {
    if (!state.is(Op::AFTER)) return state.buf_uop();
    const auto [it, fresh] = buffers_.try_emplace(state.id());
    if (!fresh) return it->second;
    const UOp below = state.src(0);
    const bool chained = !below.in({Op::BUFFER, Op::PARAM, Op::MSELECT, Op::MSTACK}) && below.base().is(Op::AFTER);
    // states come in topological order, so the one below is known unless it is out of reach
    const auto known = chained ? buffers_.find(below.base().id()) : buffers_.end();
    const UOp buffer = (known != buffers_.end() && known->second ? known->second : below.buf_uop()).base();
    buffers_[state.id()] = buffer;
    return buffer;
  }

  void add(UOp after);
  void add_write_after_read();

  UOp sink_;
  UOps kernels_;
  std::unordered_map<uint32_t, size_t> index_;  // looked up, never iterated, as all maps here
  std::vector<std::vector<size_t>> children_;
  std::vector<size_t> in_degree_;
  std::unordered_map<uint32_t, Waits> waits_;
  std::unordered_map<uint32_t, UOp> buffers_;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Write>> writes_;  // by buffer and prior state
  std::vector<Read> reads_;
};

void Dependencies::add(UOp after) {
  const Waits& w = waits(after);
  const UOp prior = unwrap_src(after.src(0));
  Write write{after, {}};
  {
    Marks old(after.store());
    if (prior.is(Op::AFTER))
      for (const UOp k : waits(prior).kernels) old.insert(k);
    for (const UOp k : w.kernels)
      if (!old.contains(k)) write.kernels.push_back(k);
  }
  writes_[{buffer_of(after).id(), prior.id()}].push_back(std::move(write));

  for (const UOp k : w.kernels) {
    index(k);
    UOps states;
    for (const UOp arg : call_of_kernel(k).srcs().subspan(1)) add_states(arg, states);
    for (const UOp s : states) reads_.push_back({after, k, s});
    // a kernel runs after those that make the states which it reads or joins
    for (const UOp dep : w.afters) add_states(dep, states);
    for (const UOp s : states)
      if (s.is(Op::AFTER))
        for (const UOp maker : waits(s).kernels) {
          index(maker);
          add_edge(maker, k);
        }
  }
}

// A kernel that reads a state runs before the kernels that replace it. A state replaces the one directly before it
// only; kernels that this one waited for already are no writes of it.
void Dependencies::add_write_after_read() {
  struct Edge {
    UOp reader, writer;
    bool needed = true;
  };
  std::vector<Edge> edges;
  for (const Read& r : reads_) {
    const auto it = writes_.find({buffer_of(r.state).id(), r.state.id()});
    if (it == writes_.end()) continue;
    for (const Write& w : it->second)
      if (w.after != r.after)
        for (const UOp k : w.kernels)
          if (k != r.kernel) edges.push_back({r.kernel, k});
  }
  if (edges.empty()) return;
  Reachability below(sink_);
  std::vector<size_t> by_writer(edges.size());
  for (size_t i = 0; i < edges.size(); ++i) by_writer[i] = i;
  std::ranges::stable_sort(by_writer, {}, [&](size_t i) { return edges[i].writer.id(); });
  for (const size_t i : by_writer) edges[i].needed = !below.contains(edges[i].reader, edges[i].writer);
  for (const Edge& e : edges)
    if (e.needed) add_edge(e.reader, e.writer);
}

Schedule schedule_of(UOp kernel_graph) {
  Schedule out;
  UOps calls;
  for (const UOp kernel : Dependencies(kernel_graph).order()) {
    const UOp call = call_of_kernel(kernel);
    UOps buffers;
    for (const UOp arg : call.srcs().subspan(1))
      if (!arg.is_bound_var()) buffers.push_back(unwrap_src(arg).buf_uop());
    calls.push_back(call_of(call.src(0), buffers));
    out.calls.push_back({call.src(0), std::move(buffers)});
  }
  out.linear = kernel_graph.store().make(Op::LINEAR, calls);
  return out;
}

}  // namespace

Result<Schedule> create_schedule(UOp kernel_graph) {
  try {
    return schedule_of(kernel_graph);
  } catch (const GraphError& e) {
    return tl::unexpected(Error{e.message()});
  }
}

}  // namespace rangescope::schedule
