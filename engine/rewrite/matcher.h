#pragma once
// Tries the rules of a set on one node.

#include "engine/rewrite/compiled_pattern.h"
#include "engine/rewrite/observer.h"
#include "engine/rewrite/rule.h"

namespace rangescope {

class Matcher {
 public:
  Matcher(const RuleSet& rules, void* context, Tracking& tracking);

  // What the first rule that matches makes of `u`; null where none does. Rules that give back `u` itself count as not
  // matching.
  UOp rewrite(UOp u);
  // Whether a rule of the last rewrite closed the gate at that node.
  bool gate_closed() const { return match_.gate_closed_; }

 private:
  struct Goal {
    uint32_t pattern;
    UOp node;
    const Goal* next;
  };

  UOp apply(const RuleSet::Entry& entry);
  bool head_matches(const CompiledNode& p, UOp u);
  bool match_deterministic(uint32_t pattern, UOp u);
  bool ops_fit(const CompiledNode& p, UOp u, const uint32_t* order) const;
  bool solve(const Goal* goals);
  bool solve_sources(const CompiledNode& p, UOp u, const uint32_t* order, const Goal* rest);
  bool accept();

  const RuleSet& rules_;
  Tracking& tracking_;
  Match match_;
  const CompiledPattern* compiled_ = nullptr;
  const Rule* rule_ = nullptr;
  UOp result_;
  uint64_t nanoseconds_ = 0;
};

}  // namespace rangescope
