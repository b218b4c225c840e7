#include "engine/symbolic/valid.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

const RuleSet& pm_drop_and_clauses() {
  static const RuleSet rules("pm_drop_and_clauses", std::vector<Rule>{});
  return rules;
}

const RuleSet& pm_move_where_on_load() {
  static const RuleSet rules("pm_move_where_on_load", std::vector<Rule>{});
  return rules;
}

const RuleSet& pm_simplify_valid() {
  static const RuleSet rules("pm_simplify_valid", std::vector<Rule>{});
  return rules;
}

}  // namespace rangescope::symbolic
