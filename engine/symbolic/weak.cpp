#include "engine/symbolic/weak.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

const RuleSet& pm_cast_weak() {
  static const RuleSet rules("pm_cast_weak", std::vector<Rule>{});
  return rules;
}

const RuleSet& pm_commit_weak() {
  static const RuleSet rules("pm_commit_weak", std::vector<Rule>{});
  return rules;
}

const RuleSet& pm_lower_weak() {
  static const RuleSet rules("pm_lower_weak", std::vector<Rule>{});
  return rules;
}

const RuleSet& pm_lower_index_dtype() {
  static const RuleSet rules("pm_lower_index_dtype", std::vector<Rule>{});
  return rules;
}

}  // namespace rangescope::symbolic
