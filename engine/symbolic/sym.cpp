#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

const RuleSet& sym() {
  static const RuleSet rules("sym", std::vector<Rule>{});
  return rules;
}

}  // namespace rangescope::symbolic
