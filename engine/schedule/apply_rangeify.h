#pragma once
// Puts the ranges that run_rangeify found into the graph (reference: schedule/indexing.py, pm_apply_rangeify).

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

// Context: IndexingContext. Bottom-up.
const RuleSet& pm_apply_rangeify();

// Context: a Device, on which stages without a device are placed.
const RuleSet& pm_fix_deviceless();

}  // namespace rangescope::schedule
