#include "engine/codegen/linearize.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "engine/codegen/python_sort.h"
#include "engine/ir/error.h"
#include "engine/ir/int.h"
#include "engine/ir/store.h"
#include "engine/ir/traversal.h"

namespace rangescope::codegen {

namespace {

struct Ranked {
  UOp uop;
  Int run_count;  // how often it runs
  int priority = 0;
  int64_t slot = 0;
};

// Smaller comes earlier among what runs equally often.
int priority_of(UOp u) {
  switch (u.op()) {
    case Op::PARAM:
      return -20;
    case Op::BUFFER:
      return u.addrspace() == AddrSpace::LOCAL ? -17 : -18;
    case Op::LOAD:
      return -1;
    case Op::STORE:
      return 1;
    case Op::RANGE:
      return 5;
    case Op::END:
      return -5;
    default:
      return 0;
  }
}

Ranked rank(UOp u) {
  Ranked r{u, 1, priority_of(u), u.is(Op::PARAM) ? u.arg().as<ParamArg>().slot : 0};
  for (const UOp range : u.ranges()) r.run_count *= range.vmax().as_int() + Int(1);
  return r;
}

bool before(const Ranked& a, const Ranked& b) {
  if (a.run_count != b.run_count) return a.run_count < b.run_count;
  if (a.priority != b.priority) return a.priority < b.priority;
  if (a.slot != b.slot) return a.slot < b.slot;
  return compare_tuplize(a.uop, b.uop) < 0;
}

}  // namespace

UOps linearize(UOp sink) {
  const UOps topo = toposort(sink);
  std::unordered_map<uint32_t, size_t> index, out_degree;
  std::vector<Ranked> ideal;
  for (const UOp u : topo) {
    ideal.push_back(rank(u));
    for (const UOp s : u.srcs()) ++out_degree[s.id()];
  }
  python_sort(ideal, before);
  for (size_t i = 0; i < ideal.size(); ++i) index[ideal[i].uop.id()] = i;
  // from the end: of what nothing waits for any more, the one that is ideally last
  std::priority_queue<size_t> ready;
  ready.push(index[sink.id()]);
  UOps order;
  while (!ready.empty()) {
    const UOp u = ideal[ready.top()].uop;
    ready.pop();
    order.push_back(u);
    for (const UOp s : u.srcs())
      if (--out_degree[s.id()] == 0) ready.push(index[s.id()]);
  }
  std::ranges::reverse(order);
  return order;
}

UOps add_gates(const UOps& ops) {
  UOps out;
  std::unordered_map<uint32_t, UOp> replaced;
  const auto is_access = [](UOp u) { return u.in(OpSet{Op::INDEX, Op::SHRINK}); };
  for (const UOp u : ops) {
    UOps srcs;
    for (const UOp s : u.srcs()) {
      const auto it = replaced.find(s.id());
      srcs.push_back(it == replaced.end() ? s : it->second);
    }
    const UOp now = u.with_srcs(srcs);
    if (now.in(OpSet{Op::IF, Op::ENDIF})) throw GraphError("an IF is no op of a graph");
    const bool gated = now.is(Op::STORE) && now.src_count() == 3 && now.src(2).dtype() == DType::bool_ &&
                       (is_access(now.src(0)) ||
                        (now.src(0).is(Op::CAST) && now.src(0).src_count() == 1 && is_access(now.src(0).src(0))));
    if (!gated) {
      replaced[u.id()] = now;
      out.push_back(now);
      continue;
    }
    Store& store = u.store();
    const UOp ungated = now.with_srcs({now.src(0), now.src(1)});
    const UOp open = store.make(Op::IF, {now.src(2), now.src(0)});
    replaced[u.id()] = ungated;
    out.insert(out.end(), {open, ungated, store.make(Op::ENDIF, {open})});
  }
  return out;
}

}  // namespace rangescope::codegen
