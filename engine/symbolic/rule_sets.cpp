#include "engine/symbolic/rule_sets.h"

#include "engine/symbolic/range.h"
#include "engine/symbolic/reduce.h"
#include "engine/symbolic/symbolic.h"
#include "engine/symbolic/transcendental.h"
#include "engine/symbolic/weak.h"

namespace rangescope::symbolic {

std::span<const NamedRuleSet> rule_sets() {
  static constexpr NamedRuleSet sets[] = {
      {"div_and_mod_symbolic", div_and_mod_symbolic},
      {"mop_cleanup", mop_cleanup},
      {"pm_data_invalid", pm_data_invalid},
      {"pm_remove_invalid", pm_remove_invalid},
      {"symbolic_simple", symbolic_simple},
      {"commutative", commutative},
      {"symbolic", symbolic},
      {"pm_drop_and_clauses", pm_drop_and_clauses},
      {"pm_move_where_on_load", pm_move_where_on_load},
      {"pm_simplify_valid", pm_simplify_valid},
      {"pm_clean_up_group_sink", pm_clean_up_group_sink},
      {"sym", sym},
      {"pm_cast_weak", pm_cast_weak},
      {"pm_commit_weak", pm_commit_weak},
      {"pm_lower_weak", pm_lower_weak},
      {"pm_lower_index_dtype", pm_lower_index_dtype},
      {"pm_flatten_range", pm_flatten_range},
      {"pm_simplify_ranges", pm_simplify_ranges},
      {"pm_split_ranges", pm_split_ranges},
      {"pm_reduce_unparented", pm_reduce_unparented},
      {"pm_reduce_collapse", pm_reduce_collapse},
      {"pm_reduce_load_collapse", pm_reduce_load_collapse},
      {"pm_reduce_simplify", pm_reduce_simplify},
      {"pm_load_collapse", pm_load_collapse},
      {"transcendental", []() -> const RuleSet& { return transcendental_rules({}, true); }},
  };
  return sets;
}

}  // namespace rangescope::symbolic
