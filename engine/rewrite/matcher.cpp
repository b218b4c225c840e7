#include "engine/rewrite/matcher.h"

#include <algorithm>
#include <chrono>

#include "engine/ir/error.h"
#include "engine/rewrite/rules_off.h"

namespace rangescope {

Matcher::Matcher(const RuleSet& rules, void* context, Tracking& tracking)
    : rules_(tracking.off == nullptr ? rules : tracking.off->left_of(rules)), tracking_(tracking), match_(context) {}

inline bool Matcher::head_matches(const CompiledNode& p, UOp u) {
  if (!p.ops.contains(u.op()) || (p.dtypes >> static_cast<unsigned>(u.dtype()) & 1) == 0) return false;
  if (u.src_count() < p.required || u.src_count() > p.most) return false;
  if (p.arg != nullptr && !p.arg->python_equal(u.arg())) return false;
  if (p.tags != nullptr && std::ranges::none_of(*p.tags, [&](const Arg& t) { return t.python_equal(u.tag()); }))
    return false;
  return p.capture < 0 || match_.bind(p.capture, u);
}

// Recursion here is over the pattern, whose depth the rule's author chose; never over the graph.
bool Matcher::match_deterministic(uint32_t pattern, UOp u) {
  const CompiledNode& p = compiled_->nodes[pattern];
  const uint32_t* children = compiled_->orders.data() + p.first_order;
  if (p.sources == Sources::AnyOf) return match_deterministic(children[0], u);
  if (!head_matches(p, u)) return false;
  if (p.sources == Sources::Any) return true;
  if (p.sources == Sources::Repeated)
    return std::ranges::all_of(u.srcs(), [&](UOp s) { return match_deterministic(children[0], s); });
  for (uint32_t i = 0; i < p.required; ++i)
    if (!match_deterministic(children[i], u.srcs()[i])) return false;
  return true;
}

bool Matcher::accept() {
  UOp made;
  if (tracking_.active()) {
    const auto start = std::chrono::steady_clock::now();
    made = rule_->rewrite(match_);
    nanoseconds_ = static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count());
  } else {
    made = rule_->rewrite(match_);
  }
  result_ = made;
  return made || match_.gate_closed_;
}

bool Matcher::solve_sources(const CompiledNode& p, UOp u, const uint32_t* order, const Goal* rest) {
  Goal goals[8];
  RS_CHECK(p.required <= std::size(goals), "a pattern lists at most eight sources");
  for (uint32_t i = p.required; i-- > 0;) {
    goals[i] = {order[i], u.srcs()[i], rest};
    rest = &goals[i];
  }
  return solve(rest);
}

bool Matcher::ops_fit(const CompiledNode& p, UOp u, const uint32_t* order) const {
  for (uint32_t i = 0; i < p.required; ++i)
    if (!compiled_->nodes[order[i]].ops.contains(u.srcs()[i].op())) return false;
  return true;
}

// Alternatives are tried in the order of the reference: the first source's outermost.
bool Matcher::solve(const Goal* goals) {
  if (goals == nullptr) return accept();
  const CompiledNode& p = compiled_->nodes[goals->pattern];
  if (!p.ops.contains(goals->node.op())) return false;
  const uint32_t before = match_.bound_;
  if (p.deterministic) {
    if (match_deterministic(goals->pattern, goals->node) && solve(goals->next)) return true;
    match_.bound_ = before;
    return false;
  }
  const uint32_t* order = compiled_->orders.data() + p.first_order;
  if (p.sources == Sources::AnyOf) {
    const auto count = static_cast<uint32_t>(p.alternatives);
    for (uint32_t i = 0; i < count; ++i) {
      const Goal alternative{order[i], goals->node, goals->next};
      if (solve(&alternative)) return true;
      match_.bound_ = before;
    }
    return false;
  }
  if (head_matches(p, goals->node)) {
    const uint32_t head = match_.bound_;
    for (uint32_t k = 0; k < p.order_count; ++k, order += p.required) {
      if (ops_fit(p, goals->node, order) && solve_sources(p, goals->node, order, goals->next)) return true;
      match_.bound_ = head;
    }
  }
  match_.bound_ = before;
  return false;
}

UOp Matcher::apply(const RuleSet::Entry& entry) {
  compiled_ = entry.compiled;
  rule_ = entry.rule;
  match_.slot_of_ = compiled_->slot_of.data();
  match_.bound_ = 0;
  result_ = {};
  if (compiled_->nodes[0].deterministic) {
    if (!match_deterministic(0, match_.root_)) return {};
    accept();
  } else {
    const Goal root{0, match_.root_, nullptr};
    solve(&root);
  }
  return result_ == match_.root_ ? UOp{} : result_;
}

UOp Matcher::rewrite(UOp u) {
  match_.root_ = u;
  match_.gate_closed_ = false;
  const OpSet src_ops = u.src_ops();
  for (const RuleSet::Entry& entry : rules_.entries_for(u.op())) {
    if (!entry.may_match(u, src_ops)) continue;
    UOp made;
    if (!tracking_.active()) {
      made = apply(entry);
    } else {
      tracking_.observer->rule_tried(*entry.rule);
      try {
        made = apply(entry);
      } catch (const GraphError& e) {
        tracking_.observer->rule_raised(*entry.rule, u, e.message());
        throw;
      }
      if (made) tracking_.observer->rule_matched(*entry.rule, u, made, nanoseconds_);
    }
    if (made || match_.gate_closed_) return made;
  }
  return {};
}

}  // namespace rangescope
