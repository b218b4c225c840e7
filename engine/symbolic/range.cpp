#include "engine/symbolic/range.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

const RuleSet& pm_flatten_range() {
  static const RuleSet rules("pm_flatten_range", std::vector<Rule>{});
  return rules;
}

const RuleSet& pm_simplify_ranges() {
  static const RuleSet rules("pm_simplify_ranges", std::vector<Rule>{});
  return rules;
}

const RuleSet& pm_split_ranges() {
  static const RuleSet rules("pm_split_ranges", std::vector<Rule>{});
  return rules;
}

}  // namespace rangescope::symbolic
