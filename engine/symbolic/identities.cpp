#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

const RuleSet& symbolic_simple() {
  static const RuleSet rules("symbolic_simple", std::vector<Rule>{});
  return rules;
}

}  // namespace rangescope::symbolic
