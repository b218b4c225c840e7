#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

const RuleSet& pm_data_invalid() {
  static const RuleSet rules("pm_data_invalid", std::vector<Rule>{});
  return rules;
}

const RuleSet& pm_remove_invalid() {
  static const RuleSet rules("pm_remove_invalid", std::vector<Rule>{});
  return rules;
}

}  // namespace rangescope::symbolic
