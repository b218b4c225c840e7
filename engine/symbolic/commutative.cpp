#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

const RuleSet& commutative() {
  static const RuleSet rules("commutative", std::vector<Rule>{});
  return rules;
}

}  // namespace rangescope::symbolic
