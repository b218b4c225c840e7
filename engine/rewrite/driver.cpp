#include "engine/rewrite/driver.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "engine/ir/dtype_rules.h"
#include "engine/ir/error.h"
#include "engine/rewrite/fixed_points.h"
#include "engine/rewrite/matcher.h"
#include "engine/rewrite/pass_scope.h"
#include "engine/rewrite/slots.h"

namespace rangescope {

namespace {

// The reference's limit: a rewrite whose worklist grows past it does not end.
constexpr size_t kStackLimit = 250000;

// Made in place and fetched part by part: what was stored in parts is slow to fetch as a whole.
struct Work {
  UOp n;
  UOp new_n;
  uint8_t stage;

  Work(UOp node, UOp new_node, uint8_t s) : n(node), new_n(new_node), stage(s) {}
};

struct Waiting {
  Work work;
  int32_t next;  // of those that wait for the same, the last's is the first
};

// Room that is used again by the next rewrite.
struct Scratch {
  explicit Scratch(RewriteNumbers& numbers) : slots(numbers) {}
  Slots slots;
  std::vector<Work> stack;
  std::vector<Waiting> waiting;
  UOps srcs;  // of the node at hand, replaced
};

struct ScratchPool {
  RewriteNumbers numbers;
  std::vector<std::unique_ptr<Scratch>> free;

  std::unique_ptr<Scratch> take() {
    if (free.empty()) return std::make_unique<Scratch>(numbers);
    std::unique_ptr<Scratch> scratch = std::move(free.back());
    free.pop_back();
    return scratch;
  }
};

class Driver {
 public:
  Driver(Store& store, bool enter_calls)
      : store_(store),
        tracking_(tracking(store)),
        pool_(store.extension<ScratchPool>()),
        scratch_(pool_.take()),
        slots_(scratch_->slots),
        enter_calls_(enter_calls) {
    scratch_->stack.clear();
    scratch_->waiting.clear();
    slots_.begin();
  }
  ~Driver() {
    slots_.end();
    pool_.free.push_back(std::move(scratch_));
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  void use_top_down(const RuleSet& rules, void* context) {
    top_down_.emplace(rules, context, tracking_);
    roots_ |= rules.root_ops();
  }
  void use_bottom_up(const RuleSet& rules, void* context) {
    bottom_up_.emplace(rules, context, tracking_);
    roots_ |= rules.root_ops();
  }
  // Without bottom-up rules, too, nothing but the node decides.
  void use_map(const NodeMap& map) {
    map_ = &map;
    skip_left_alone_ = !bottom_up_;
    for (const auto& [from, to] : map.items()) roots_.insert(from.op());
  }
  // For top-down rules that see nothing but the node.
  void use_fixed_points(const RuleSet& rules) {
    fixed_points_ = &store_.extension<FixedPointsBySet>().of(rules);
    skip_left_alone_ = !tracking_.active();
  }

  UOp worklist(UOp root);
  UOp walk(UOp root);

 private:
  enum class BottomUp : uint8_t { Kept, Replaced, GateClosed };

  bool has_bottom_up() const { return bottom_up_ || map_ != nullptr; }

  // What the bottom-up rules make of a node: itself, another one, or itself with the gate closed.
  std::pair<BottomUp, UOp> bottom_up_rewrite(UOp u) {
    if (bottom_up_) {
      if (const Slot& s = slots_[u]; s.bottom_up_known) return answer(s.bottom_up);
      const UOp made = bottom_up_->rewrite(u);
      if (bottom_up_->gate_closed()) return {BottomUp::GateClosed, u};
      if (made || map_ == nullptr) {
        Slot& s = slots_[u];
        s.bottom_up_known = true;
        s.bottom_up = made;
        return answer(made);
      }
    }
    const UOp made = map_->get(u);
    return answer(made == u ? UOp{} : made);
  }
  static std::pair<BottomUp, UOp> answer(UOp made) { return {made ? BottomUp::Replaced : BottomUp::Kept, made}; }

  bool is_fixed_point(UOp u) const { return fixed_points_ != nullptr && fixed_points_->contains(u); }
  // Stays as it is, which is known without walking through it: nothing at or below it is what a rule begins with, or it
  // was found to be so before.
  bool is_left_alone(UOp u) const {
    return skip_left_alone_ && (!u.op_in_backward_slice_with_self(roots_) || is_fixed_point(u));
  }
  // What is put in a node's place, null while that is not known.
  UOp replacement(UOp u) { return is_left_alone(u) ? u : slots_[u].replacement; }

  bool is_opaque_call(UOp u) const {
    if (enter_calls_) return false;
    if (u.is(Op::FUNCTION)) return true;
    return u.is(Op::CALL) && u.src(0).in({Op::SINK, Op::PROGRAM, Op::LINEAR, Op::COPY, Op::CUSTOM_FUNCTION});
  }

  void finish(UOp n, UOp replacement) {
    Slot& s = slots_[n];
    s.replacement = replacement;
    const int32_t last = s.last_waiting;
    if (last < 0) return;
    s.last_waiting = -1;
    int32_t w = last;
    do {
      w = scratch_->waiting[static_cast<size_t>(w)].next;
      scratch_->stack.push_back(scratch_->waiting[static_cast<size_t>(w)].work);
    } while (w != last);
  }

  void wait_for(UOp dependency, UOp n, UOp new_n, uint8_t stage) {
    const auto at = static_cast<int32_t>(scratch_->waiting.size());
    Slot& s = slots_[dependency];
    int32_t first = at;
    if (s.last_waiting >= 0) first = std::exchange(scratch_->waiting[static_cast<size_t>(s.last_waiting)].next, at);
    scratch_->waiting.push_back({Work(n, new_n, stage), first});
    s.last_waiting = at;
  }

  UOp with_sources(UOp n, std::span<const UOp> srcs) {
    return store_.make_interned(n.op(), rebuilt_dtype(n, srcs), srcs, n.node()->arg, n.node()->tag);
  }

  // Applies the bottom-up rules until none matches. Null: a gate closed the node (`n` is then done).
  UOp bottom_up_fixed_point(UOp n);
  void expand(UOp n);
  void rebuild(UOp n, UOp new_n);

  Store& store_;
  Tracking& tracking_;
  ScratchPool& pool_;
  std::unique_ptr<Scratch> scratch_;
  Slots& slots_;
  std::optional<Matcher> top_down_, bottom_up_;
  const NodeMap* map_ = nullptr;  // an untracked substitution's, asked after the bottom-up rules
  OpSet roots_;                   // of all rules, and of the map's keys
  FixedPoints* fixed_points_ = nullptr;
  // Where no one watches, what is known not to change is not even walked through. Where someone does, or a context
  // counts, only the rules are spared: the walk decides in which order the other matches come.
  bool skip_left_alone_ = false;
  bool enter_calls_;
};

UOp Driver::bottom_up_fixed_point(UOp n) {
  UOp current = n;
  std::optional<Marks> seen;
  while (true) {
    const auto [what, made] = bottom_up_rewrite(current);
    if (what == BottomUp::Kept) return current;
    if (what == BottomUp::GateClosed) {
      finish(n, current);
      return {};
    }
    if (!seen) {
      seen.emplace(store_);
      seen->insert(current);
    }
    current = made;
    if (!seen->insert(current))
      throw GraphError("a rewrite does not end: the same nodes replace each other in a circle");
  }
}

void Driver::expand(UOp n) {
  UOp new_n = n;
  if (has_bottom_up()) {
    new_n = bottom_up_fixed_point(n);
    if (!new_n) return;
  }
  // The function that is called is no part of the graph that is rewritten.
  if (is_opaque_call(new_n)) slots_[new_n.src(0)].replacement = new_n.src(0);
  auto& stack = scratch_->stack;
  bool ready = true;  // nothing below is left to do: no need to come back later
  const auto srcs = new_n.srcs();
  for (size_t i = srcs.size(); i-- > 0;) {
    if (is_left_alone(srcs[i])) continue;
    Slot& s = slots_[srcs[i]];
    if (s.on_stack) continue;
    s.on_stack = true;
    if (ready) stack.emplace_back(n, new_n, 1);
    ready = false;
    stack.emplace_back(srcs[i], srcs[i], 0);
  }
  if (ready) rebuild(n, new_n);
}

void Driver::rebuild(UOp n, UOp new_n) {
  const auto srcs = new_n.srcs();
  UOps& replaced = scratch_->srcs;
  if (replaced.size() < srcs.size()) replaced.resize(srcs.size());
  bool same = true;
  for (size_t i = 0; i < srcs.size(); ++i) {
    const UOp r = replacement(srcs[i]);
    if (!r) {
      wait_for(srcs[i], n, new_n, 1);
      return;
    }
    same = same && r == srcs[i];
    replaced[i] = r;
  }
  UOp next;
  if (same) {
    const uint64_t passes = tracking_.passes;
    if (top_down_ && !is_fixed_point(new_n)) next = top_down_->rewrite(new_n);
    if (!next) {
      // a rule that reports a pass of its own, if only to find nothing to do, reports it again the next time
      if (fixed_points_ != nullptr && tracking_.passes == passes) fixed_points_->insert(new_n);
      finish(n, new_n);
      return;
    }
  } else {
    next = with_sources(new_n, std::span(replaced).first(srcs.size()));
  }
  if (const UOp known = replacement(next)) {
    finish(n, known);
    return;
  }
  // rewrite what came out, then link it back to the node
  scratch_->stack.emplace_back(n, next, 2);
  scratch_->stack.emplace_back(next, next, 0);
}

UOp Driver::worklist(UOp root) {
  if (const UOp known = replacement(root)) return known;
  auto& stack = scratch_->stack;
  stack.emplace_back(root, root, 0);
  slots_[root].on_stack = true;
  while (!stack.empty()) {
    if (stack.size() > kStackLimit) throw GraphError("a rewrite does not end: its worklist grew past 250000 nodes");
    const UOp n = stack.back().n;
    const UOp new_n = stack.back().new_n;
    const uint8_t stage = stack.back().stage;
    stack.pop_back();
    if (slots_[n].replacement) continue;
    switch (stage) {
      case 0:
        expand(n);
        break;
      case 1:
        rebuild(n, new_n);
        break;
      default:
        if (const UOp r = replacement(new_n))
          finish(n, r);
        else
          wait_for(new_n, n, new_n, 2);
    }
  }
  const UOp result = replacement(root);
  if (!result) throw GraphError("a rewrite does not end: nodes wait for each other in a circle");
  return result;
}

UOp Driver::walk(UOp root) {
  auto& stack = scratch_->stack;
  stack.emplace_back(root, root, 0);
  while (!stack.empty()) {
    const UOp n = stack.back().n;
    const bool sources_done = stack.back().stage != 0;
    stack.pop_back();
    if (slots_[n].replacement) continue;
    if (!sources_done) {
      if (has_bottom_up()) {
        if (const auto [what, made] = bottom_up_rewrite(n); what == BottomUp::Replaced) {
          slots_[n].replacement = made;
          continue;
        }
      }
      stack.emplace_back(n, n, 1);
      if (is_opaque_call(n)) slots_[n.src(0)].replacement = n.src(0);
      const auto srcs = n.srcs();
      for (size_t i = srcs.size(); i-- > 0;)
        if (!replacement(srcs[i])) stack.emplace_back(srcs[i], srcs[i], 0);
      continue;
    }
    UOps& replaced = scratch_->srcs;
    replaced.clear();
    bool same = true;
    for (const UOp x : n.srcs()) {
      const UOp r = replacement(x);
      replaced.push_back(r ? r : x);
      same = same && replaced.back() == x;
    }
    UOp new_n = same ? n : with_sources(n, replaced);
    if (top_down_)
      if (const UOp made = top_down_->rewrite(new_n)) new_n = made;
    slots_[n].replacement = new_n;
  }
  const UOp result = slots_[root].replacement;
  return result ? result : root;
}

}  // namespace

UOp graph_rewrite(UOp root, const RuleSet& rules, const RewriteOptions& options) {
  Store& store = root.store();
  PassScope pass(store, options, root);
  Driver driver(store, options.enter_calls);
  const RuleSet* bottom_up = options.bottom_up ? &rules : options.bottom_up_rules;
  if (!options.bottom_up) driver.use_top_down(rules, options.context);
  if (bottom_up != nullptr) driver.use_bottom_up(*bottom_up, options.context);
  if (bottom_up == nullptr && options.context == nullptr && !options.walk && !options.enter_calls)
    driver.use_fixed_points(rules);
  const UOp result = options.walk ? driver.walk(root) : driver.worklist(root);
  pass.end(result);
  return result;
}

const RuleSet& substitute_rules() {
  static const RuleSet rules("substitute", {{"substitute", "replaces a node by what the map says", "uop/ops.py:1754",
                                             pat(groups::All).named(captures::x),
                                             [](const Match& m) { return m.context<const NodeMap>().get(m.root()); }}});
  return rules;
}

namespace {

// No pass: the map is asked without going through a rule.
UOp substitute_untracked(UOp root, NodeMap& map, const SubstituteOptions& options) {
  const Untracked untracked(root.store());
  Driver driver(root.store(), options.enter_calls);
  if (options.first_rules != nullptr) driver.use_bottom_up(*options.first_rules, &map);
  driver.use_map(map);
  return options.walk ? driver.walk(root) : driver.worklist(root);
}

}  // namespace

UOp substitute(UOp root, const NodeMap& map, const SubstituteOptions& options) {
  NodeMap changing;
  for (const auto& [from, to] : map.items())
    if (from != to) changing.set(from, to);
  if (changing.empty()) return root;
  if (options.name.empty()) return substitute_untracked(root, changing, options);
  RewriteOptions rewrite;
  rewrite.name = options.name;
  rewrite.context = &changing;
  rewrite.bottom_up = true;
  rewrite.walk = options.walk;
  rewrite.enter_calls = options.enter_calls;
  if (options.first_rules == nullptr) return graph_rewrite(root, substitute_rules(), rewrite);
  const RuleSet both("substitute", {options.first_rules, &substitute_rules()});
  return graph_rewrite(root, both, rewrite);
}

UOp substitute(UOp root, std::span<const std::pair<UOp, UOp>> map, const SubstituteOptions& options) {
  NodeMap nodes;
  for (const auto& [from, to] : map) nodes.set(from, to);
  return substitute(root, nodes, options);
}

}  // namespace rangescope
