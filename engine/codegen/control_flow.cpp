#include "engine/codegen/control_flow.h"

#include <algorithm>
#include <unordered_map>

#include "engine/codegen/axis.h"
#include "engine/ir/error.h"
#include "engine/ir/traversal.h"

namespace rangescope::codegen {

namespace {

bool is_local_store(UOp u) {
  return u.is(Op::STORE) && u.addrspace() == AddrSpace::LOCAL;
}

// What is read after stores to shared memory must see all invocations' stores.
UOp barrier_before_reads(const Match& m) {
  const UOp after = m[captures::after];
  if (after.addrspace() != AddrSpace::LOCAL) return {};
  const std::span<const UOp> deps = after.srcs().subspan(1);
  const UOps below = toposort(m.store().sink(deps), [](UOp x) { return !x.is(Op::BARRIER); });
  if (std::ranges::none_of(below, is_local_store)) return {};
  return after.src(0).after({m.store().make(Op::BARRIER, deps)});
}

// The next round of a loop must not store to shared memory that others still read.
UOp barrier_at_loop_end(const Match& m) {
  const UOp end = m[captures::end];
  UOps ranges;
  for (const UOp r : end.srcs().subspan(1))
    if (r.is(Op::RANGE) && second_is(r, {AxisType::REDUCE, AxisType::WEAK, AxisType::LOOP}) &&
        python_less(Scalar(0), r.vmax()))
      ranges.push_back(r);
  if (ranges.empty() || end.src(0).is(Op::BARRIER)) return {};
  const UOps topo = toposort(end.src(0));
  // the reference looks at the node itself first
  UOps slice{end.src(0)};
  slice.insert(slice.end(), topo.begin(), topo.end() - 1);
  Marks stored(m.store());
  for (const UOp x : slice)
    if (is_local_store(x) && std::ranges::any_of(ranges, [&](UOp r) { return x.has_range(r); }))
      stored.insert(x.buf_uop());
  UOps srcs{end.src(0)};
  for (const UOp x : slice)
    if (x.is(Op::LOAD) && stored.contains(x.src(0).buf_uop())) srcs.push_back(x);
  if (srcs.size() == 1) return {};
  UOps ended(end.srcs().begin(), end.srcs().end());
  ended[0] = m.store().make(Op::BARRIER, srcs);
  return end.with_srcs(ended);
}

// One END a range, the innermost range first; conditions of unbounded loops last.
UOp split_ends(const Match& m) {
  const UOp e = m[captures::e];
  UOps backedge, ended;
  for (const UOp x : e.srcs().subspan(1))
    (x.dtype() == DType::void_ || x.dtype() == DType::bool_ ? backedge : ended).push_back(x);
  UOps ranges = m.store().sink(ended).ranges();
  std::ranges::stable_sort(ranges, [](UOp a, UOp b) { return a.arg().compare(b.arg()) > 0; });
  UOp ret = e.src(0);
  for (const UOp r : ranges) ret = ret.end({&r, 1});
  return ret.end(backedge);
}

// The RANGEs and ENDs below each node, itself included, in the order in which they are first met. Lists are shared:
// most nodes have that of a source.
class LoopDependencies {
 public:
  // Calls at(u, list without u) for each node in order.
  template <class F>
  LoopDependencies(const UOps& topo, F at) {
    lists_.emplace_back();
    for (const UOp u : topo) {
      size_t list = 0;
      bool own = false;
      for (const UOp s : u.srcs()) {
        const size_t below = of_.at(s.id());
        if (below == list || lists_[below].empty()) continue;
        if (lists_[list].empty()) {
          list = below;
          continue;
        }
        if (!own) {
          lists_.push_back(lists_[list]);
          list = lists_.size() - 1;
          own = true;
        }
        for (const UOp x : lists_[below])
          if (!has(lists_[list], x)) lists_[list].push_back(x);
      }
      of_[u.id()] = list;
      at(u, *this);
      if (!u.in(OpSet{Op::RANGE, Op::END})) continue;
      lists_.push_back(lists_[list]);
      lists_.back().push_back(u);
      of_[u.id()] = lists_.size() - 1;
    }
  }
  const UOps& of(UOp u) const { return lists_[of_.at(u.id())]; }
  bool depends(UOp u, UOp on) const { return has(of(u), on); }

 private:
  static bool has(const UOps& list, UOp x) { return std::ranges::find(list, x) != list.end(); }
  std::vector<UOps> lists_;
  std::unordered_map<uint32_t, size_t> of_;
};

}  // namespace

const RuleSet& pm_implicit_barriers() {
  using namespace captures;
  static const RuleSet rules(
      "pm_implicit_barriers",
      {
          {"barrier-before-reads", "shared memory is read after every invocation has stored its part",
           "codegen/__init__.py:281", pat(Op::AFTER).named(captures::after), barrier_before_reads},
          {"barrier-at-loop-end", "a loop that stores to shared memory and reads it ends its rounds together",
           "codegen/__init__.py:282", pat(Op::END).named(captures::end), barrier_at_loop_end},
      });
  return rules;
}

const RuleSet& pm_split_ends() {
  using namespace captures;
  static const RuleSet rules("pm_split_ends", {{"split-end", "an END of several ranges becomes one for each",
                                                "codegen/late/linearizer.py:94", pat(Op::END).named(e), split_ends}});
  return rules;
}

NodeMap control_flow_edges(UOp sink) {
  NodeMap nesting;  // an END -> what it is directly inside of: another END, or the sink
  const LoopDependencies deps(toposort(sink), [&](UOp u, const LoopDependencies& so_far) {
    if (!u.in(OpSet{Op::END, Op::SINK})) return;
    for (const UOp x : so_far.of(u))
      if (x.is(Op::END) && (u.is(Op::SINK) || so_far.depends(x, u.src(1))) && !nesting.contains(x)) nesting.set(x, u);
  });
  std::vector<std::pair<UOp, UOps>> siblings;
  for (const auto& [inner, outer] : nesting.items()) {
    auto it = std::ranges::find(siblings, outer, &std::pair<UOp, UOps>::first);
    if (it == siblings.end()) it = siblings.insert(it, {outer, {}});
    it->second.push_back(inner);
  }
  NodeMap edges;
  for (const auto& [outer, ends] : siblings) {
    const UOps& inside = ends;  // captured below
    // a loop comes after the siblings that it needs
    const auto needed = [&](UOp x) { return std::ranges::count_if(inside, [&](UOp u) { return deps.depends(x, u); }); };
    UOps order = inside;
    std::ranges::stable_sort(order, {}, needed);
    if (!outer.is(Op::SINK)) order.insert(order.begin(), outer.src(1));
    for (size_t i = 0; i + 1 < order.size(); ++i) {
      const UOp x = order[i], range = order[i + 1].src(1);
      if (x.in_backward_slice_with_self(range))
        throw GraphError("two loops of a kernel each need the other to be over");
      edges.set(range, x);
    }
  }
  return edges;
}

const RuleSet& pm_add_control_flow() {
  using namespace captures;
  static const RuleSet rules("pm_add_control_flow",
                             {{"order-loop", "a loop begins after the loop before it, or inside the one around it",
                               "codegen/late/linearizer.py:84", pat(Op::RANGE).named(x), [](const Match& m) {
                                 const UOp before = m.context<NodeMap>().get(m[x]);
                                 if (!before) return UOp{};
                                 UOps srcs(m[x].srcs().begin(), m[x].srcs().end());
                                 srcs.push_back(before);
                                 return m[x].with_srcs(srcs);
                               }}});
  return rules;
}

}  // namespace rangescope::codegen
