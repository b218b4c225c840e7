#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

const RuleSet& mop_cleanup() {
  static const RuleSet rules("mop_cleanup", std::vector<Rule>{});
  return rules;
}

}  // namespace rangescope::symbolic
