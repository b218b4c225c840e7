#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

const RuleSet& symbolic() {
  static const RuleSet rules("symbolic", std::vector<Rule>{});
  return rules;
}

}  // namespace rangescope::symbolic
