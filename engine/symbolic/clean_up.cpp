#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

const RuleSet& pm_clean_up_group_sink() {
  static const RuleSet rules("pm_clean_up_group_sink", std::vector<Rule>{});
  return rules;
}

}  // namespace rangescope::symbolic
