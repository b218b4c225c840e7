#pragma once

#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

// The body of a FUNCTION with its arguments in place of its parameters; null for a precompiled one, which stays a call.
UOp resolve_function(UOp function);

// Collects parameters. Context: UOps.
const RuleSet& pm_gather_params();

}  // namespace rangescope::schedule
