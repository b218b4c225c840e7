#include "engine/symbolic/reduce.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

const RuleSet& pm_reduce_unparented() {
  static const RuleSet rules("pm_reduce_unparented", std::vector<Rule>{});
  return rules;
}

const RuleSet& pm_reduce_collapse() {
  static const RuleSet rules("pm_reduce_collapse", std::vector<Rule>{});
  return rules;
}

const RuleSet& pm_reduce_load_collapse() {
  static const RuleSet rules("pm_reduce_load_collapse", std::vector<Rule>{});
  return rules;
}

const RuleSet& pm_reduce_simplify() {
  static const RuleSet rules("pm_reduce_simplify", std::vector<Rule>{});
  return rules;
}

const RuleSet& pm_load_collapse() {
  static const RuleSet rules("pm_load_collapse", std::vector<Rule>{});
  return rules;
}

}  // namespace rangescope::symbolic
