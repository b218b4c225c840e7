#pragma once
// Operands of one shape, and loads where values are read (reference: codegen/__init__.py, pm_expand_broadcast and
// pm_add_loads).

#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

const RuleSet& pm_wmma_add();  // a sum moves into the accumulator of a tensor core
const RuleSet& pm_expand_broadcast();
const RuleSet& pm_add_loads();

}  // namespace rangescope::codegen
