#pragma once
// Kernels that only move data between devices become COPYs (reference: schedule/__init__.py, pm_copy_from_store).

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

const RuleSet& pm_copy_from_store();

}  // namespace rangescope::schedule
