#pragma once
// Small passes on the way to the op list (reference: codegen/__init__.py).

#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

const RuleSet& pm_cast_float_alu();
const RuleSet& pm_casted_consts();
const RuleSet& pm_number_params();  // context: int64_t, the next slot

}  // namespace rangescope::codegen
