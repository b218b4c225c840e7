#include "engine/rewrite/driver.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "engine/ir/dtype_rules.h"
#include "engine/ir/error.h"
#include "engine/rewrite/matcher.h"

namespace rangescope {

namespace {

// The reference's limit: a rewrite whose worklist grows past it does not end.
constexpr size_t kStackLimit = 250000;

// What a driver knows of a node, by id. Borrowed from a pool, cleared by a change of epoch.
struct Slot {
  UOp replacement;
  UOp bottom_up;           // cached answer of the bottom-up rules, null: none matched
  int32_t wait_head = -1;  // who waits for this node, in order
  int32_t wait_tail = -1;
  uint32_t epoch = 0;
  bool on_stack = false;
  bool bottom_up_known = false;
};

struct Work {
  UOp n;
  UOp new_n;
  uint8_t stage;
};

struct Waiting {
  Work work;
  int32_t next;
};

// Slots stand in pages that are made when a node of theirs is seen first: most rewrites see few of a store's nodes, and
// a growing store moves nothing.
constexpr unsigned kPageBits = 9;

struct Scratch {
  std::vector<std::unique_ptr<Slot[]>> pages;
  std::vector<Work> stack;
  std::vector<Waiting> waiting;
  UOps srcs;
  uint32_t epoch = 0;
};

struct ScratchPool {
  std::vector<std::unique_ptr<Scratch>> free;
};

class Driver {
 public:
  Driver(Store& store, const RuleSet* top_down, const RuleSet* bottom_up, const RewriteOptions& options)
      : store_(store), pool_(store.extension<ScratchPool>()), enter_calls_(options.enter_calls) {
    if (pool_.free.empty()) pool_.free.push_back(std::make_unique<Scratch>());
    scratch_ = std::move(pool_.free.back());
    pool_.free.pop_back();
    if (++scratch_->epoch == 0) {
      scratch_->pages.clear();
      scratch_->epoch = 1;
    }
    scratch_->stack.clear();
    scratch_->waiting.clear();
    Tracking& t = tracking(store);
    if (top_down != nullptr) top_down_.emplace(*top_down, options.context, t);
    if (bottom_up != nullptr) bottom_up_.emplace(*bottom_up, options.context, t);
  }
  ~Driver() { pool_.free.push_back(std::move(scratch_)); }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  UOp worklist(UOp root);
  UOp walk(UOp root);

 private:
  Slot& slot(UOp u) {
    auto& pages = scratch_->pages;
    const size_t page = u.id() >> kPageBits;
    if (page >= pages.size()) pages.resize((store_.node_count() >> kPageBits) + 1);
    if (!pages[page]) pages[page] = std::make_unique<Slot[]>(size_t{1} << kPageBits);
    Slot& s = pages[page][u.id() & ((1U << kPageBits) - 1)];
    if (s.epoch != scratch_->epoch) {
      s = Slot{};
      s.epoch = scratch_->epoch;
    }
    return s;
  }

  UOp bottom_up_rewrite(UOp u) {
    Slot& s = slot(u);
    if (s.bottom_up_known) return s.bottom_up;
    const UOp made = bottom_up_->rewrite(u);
    s.bottom_up_known = true;
    s.bottom_up = made;
    return made;
  }

  bool is_opaque_call(UOp u) const {
    if (enter_calls_) return false;
    if (u.is(Op::FUNCTION)) return true;
    return u.is(Op::CALL) && u.src(0).in({Op::SINK, Op::PROGRAM, Op::LINEAR, Op::COPY, Op::CUSTOM_FUNCTION});
  }

  void finish(UOp n, UOp replacement) {
    Slot& s = slot(n);
    s.replacement = replacement;
    int32_t w = s.wait_head;
    s.wait_head = s.wait_tail = -1;
    for (; w >= 0; w = scratch_->waiting[static_cast<size_t>(w)].next)
      scratch_->stack.push_back(scratch_->waiting[static_cast<size_t>(w)].work);
  }

  void wait_for(UOp dependency, const Work& work) {
    const auto at = static_cast<int32_t>(scratch_->waiting.size());
    scratch_->waiting.push_back({work, -1});
    Slot& s = slot(dependency);
    if (s.wait_tail >= 0)
      scratch_->waiting[static_cast<size_t>(s.wait_tail)].next = at;
    else
      s.wait_head = at;
    s.wait_tail = at;
  }

  // Applies the bottom-up rules until none matches. nullopt: a gate closed the node (`n` is then done).
  std::optional<UOp> fixed_point(UOp n);
  void expand(UOp n);
  void rebuild(const Work& work);

  Store& store_;
  ScratchPool& pool_;
  std::unique_ptr<Scratch> scratch_;
  std::optional<Matcher> top_down_, bottom_up_;
  bool enter_calls_;
};

std::optional<UOp> Driver::fixed_point(UOp n) {
  UOp current = n;
  std::optional<Marks> seen;
  try {
    while (const UOp made = bottom_up_rewrite(current)) {
      if (!seen) {
        seen.emplace(store_);
        seen->insert(current);
      }
      current = made;
      if (!seen->insert(current))
        throw GraphError("a rewrite does not end: the same nodes replace each other in a circle");
    }
  } catch (const BottomUpGate&) {
    finish(n, current);
    return std::nullopt;
  }
  return current;
}

void Driver::expand(UOp n) {
  UOp new_n = n;
  if (bottom_up_) {
    const std::optional<UOp> r = fixed_point(n);
    if (!r) return;
    new_n = *r;
  }
  scratch_->stack.push_back({n, new_n, 1});
  // The function that is called is no part of the graph that is rewritten.
  if (is_opaque_call(new_n)) slot(new_n.src(0)).replacement = new_n.src(0);
  const auto srcs = new_n.srcs();
  for (size_t i = srcs.size(); i-- > 0;) {
    Slot& s = slot(srcs[i]);
    if (s.on_stack) continue;
    s.on_stack = true;
    scratch_->stack.push_back({srcs[i], srcs[i], 0});
  }
}

void Driver::rebuild(const Work& work) {
  const UOp new_n = work.new_n;
  const auto srcs = new_n.srcs();
  UOps& replaced = scratch_->srcs;
  replaced.clear();
  bool same = true;
  for (const UOp x : srcs) {
    const UOp r = slot(x).replacement;
    if (!r) {
      wait_for(x, work);
      return;
    }
    same = same && r == x;
    replaced.push_back(r);
  }
  UOp next;
  if (same) {
    if (top_down_) next = top_down_->rewrite(new_n);
    if (!next) {
      finish(work.n, new_n);
      return;
    }
  } else {
    next = store_.make_interned(new_n.op(), rebuilt_dtype(new_n, replaced), replaced, new_n.node()->arg,
                                new_n.node()->tag);
  }
  // rewrite what came out, then link it back to the node
  scratch_->stack.push_back({work.n, next, 2});
  scratch_->stack.push_back({next, next, 0});
}

UOp Driver::worklist(UOp root) {
  scratch_->stack.push_back({root, root, 0});
  slot(root).on_stack = true;
  while (!scratch_->stack.empty()) {
    if (scratch_->stack.size() > kStackLimit)
      throw GraphError("a rewrite does not end: its worklist grew past 250000 nodes");
    const Work work = scratch_->stack.back();
    scratch_->stack.pop_back();
    if (slot(work.n).replacement) continue;
    switch (work.stage) {
      case 0:
        expand(work.n);
        break;
      case 1:
        rebuild(work);
        break;
      default:
        if (const UOp r = slot(work.new_n).replacement)
          finish(work.n, r);
        else
          wait_for(work.new_n, work);
    }
  }
  const UOp result = slot(root).replacement;
  if (!result) throw GraphError("a rewrite does not end: nodes wait for each other in a circle");
  return result;
}

UOp Driver::walk(UOp root) {
  auto& stack = scratch_->stack;
  stack.push_back({root, root, 0});
  while (!stack.empty()) {
    const Work work = stack.back();
    stack.pop_back();
    const UOp n = work.n;
    if (slot(n).replacement) continue;
    if (work.stage == 0) {
      if (bottom_up_) {
        if (const UOp made = bottom_up_rewrite(n)) {
          slot(n).replacement = made;
          continue;
        }
      }
      stack.push_back({n, n, 1});
      if (is_opaque_call(n)) slot(n.src(0)).replacement = n.src(0);
      const auto srcs = n.srcs();
      for (size_t i = srcs.size(); i-- > 0;)
        if (!slot(srcs[i]).replacement) stack.push_back({srcs[i], srcs[i], 0});
      continue;
    }
    UOps& replaced = scratch_->srcs;
    replaced.clear();
    bool same = true;
    for (const UOp x : n.srcs()) {
      const UOp r = slot(x).replacement;
      replaced.push_back(r ? r : x);
      same = same && replaced.back() == x;
    }
    UOp new_n =
        same ? n : store_.make_interned(n.op(), rebuilt_dtype(n, replaced), replaced, n.node()->arg, n.node()->tag);
    if (top_down_)
      if (const UOp made = top_down_->rewrite(new_n)) new_n = made;
    slot(n).replacement = new_n;
  }
  const UOp result = slot(root).replacement;
  return result ? result : root;
}

// Reports a pass for as long as it runs. A pass that is unwound by a refusal does not end.
class PassScope {
 public:
  PassScope(Store& store, const RewriteOptions& options, UOp root)
      : tracking_(tracking(store)), reported_(tracking_.active()) {
    if (!reported_) return;
    tracking_.observer->pass_begin(
        {options.name, tracking_.depth, options.bottom_up, options.walk, options.enter_calls, false}, root);
    ++tracking_.depth;
  }
  ~PassScope() {
    if (reported_) --tracking_.depth;
  }
  PassScope(const PassScope&) = delete;
  PassScope& operator=(const PassScope&) = delete;
  void end(UOp root) {
    if (reported_) tracking_.observer->pass_end(root);
  }

 private:
  Tracking& tracking_;
  bool reported_;
};

}  // namespace

PassGroup::PassGroup(Store& store, std::string_view name)
    : store_(store), reported_(tracking(store).active()), unwinding_(std::uncaught_exceptions()) {
  if (!reported_) return;
  Tracking& t = tracking(store);
  t.observer->pass_begin({name, t.depth, false, false, false, true}, {});
  ++t.depth;
}

PassGroup::~PassGroup() {
  if (!reported_) return;
  Tracking& t = tracking(store_);
  --t.depth;
  if (std::uncaught_exceptions() == unwinding_) t.observer->pass_end({});
}

UOp graph_rewrite(UOp root, const RuleSet& rules, const RewriteOptions& options) {
  Store& store = root.store();
  PassScope pass(store, options, root);
  Driver driver(store, options.bottom_up ? nullptr : &rules, options.bottom_up ? &rules : options.bottom_up_rules,
                options);
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

UOp substitute(UOp root, const NodeMap& map, const SubstituteOptions& options) {
  NodeMap changing;
  for (const auto& [from, to] : map.items())
    if (from != to) changing.set(from, to);
  if (changing.empty()) return root;
  std::optional<Untracked> untracked;
  if (options.name.empty()) untracked.emplace(root.store());
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
