// The order of the two big rule sets (reference: uop/symbolic.py). Which rule fires first is part of their meaning.

#include "engine/symbolic/symbolic.h"

#include "engine/symbolic/families.h"

namespace rangescope::symbolic {

const RuleSet& symbolic_simple() {
  static const RuleSet rules(
      "symbolic_simple",
      {&pm_data_invalid(), &families::self_folding(), &families::zero_folding(), &families::constant_folding(),
       &families::bool_arithmetic(), &families::division_by_itself(), &families::simple_casts(), &families::powers(),
       &families::packed_words(), &families::simple_where(), &mop_cleanup()});
  return rules;
}

const RuleSet& symbolic() {
  static const RuleSet rules(
      "symbolic",
      {&symbolic_simple(), &commutative(), &families::combine_terms(), &families::where_folding(),
       &families::bounds_folding(), &families::two_stage_alu(), &families::comparisons(), &families::constants_last(),
       &families::sums_below_constants(), &families::range_divided_by_its_end(), &families::nested_casts(),
       &families::ordering(), &div_and_mod_symbolic()});
  return rules;
}

}  // namespace rangescope::symbolic
