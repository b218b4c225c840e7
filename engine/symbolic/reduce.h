#pragma once
// Rules that remove reductions (reference: codegen/simplify.py, second half).

#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope::symbolic {

const RuleSet& pm_reduce_unparented();
const RuleSet& pm_reduce_collapse();
const RuleSet& pm_reduce_load_collapse();
const RuleSet& pm_reduce_simplify();
const RuleSet& pm_load_collapse();

}  // namespace rangescope::symbolic
