#pragma once
// For targets whose invocations gain nothing from sharing work (Target::shares_work).

#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

// Values that a workgroup would stage in its shared memory are computed again where they are read. The stages that stay
// are those that hold reductions of their own: computing one again costs a loop.
const RuleSet& pm_recompute_stages();

}  // namespace rangescope::codegen
