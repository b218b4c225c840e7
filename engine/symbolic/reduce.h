#pragma once
// Rules that remove reductions (reference: codegen/simplify.py, second half).

#include "engine/rewrite/rule.h"

namespace rangescope::symbolic {

// The argument of a REDUCE that sums, over ranges alone.
Arg sum_arg();

const RuleSet& pm_reduce_unparented();     // ranges that the reduced value does not use
const RuleSet& pm_reduce_collapse();       // what a sum is brought into a closed form with
const RuleSet& pm_reduce_load_collapse();  // the same, and a sum that picks one element of a load
const RuleSet& pm_reduce_simplify();       // sums without loads (arange)
const RuleSet& pm_load_collapse();         // sums that index a tensor with another tensor

}  // namespace rangescope::symbolic
