#include "engine/symbolic/div_mod.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

const RuleSet& div_and_mod_symbolic() {
  static const RuleSet rules("div_and_mod_symbolic", std::vector<Rule>{});
  return rules;
}

}  // namespace rangescope::symbolic
