#pragma once
// Parallel ranges become the invocation's index (reference: codegen/gpudims.py).

#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

const RuleSet& pm_add_gpudims();  // context: const Target

}  // namespace rangescope::codegen
