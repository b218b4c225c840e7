#pragma once
// Calls take buffers, not elements or views from their start (reference: schedule/rangeify.py, pm_no_indexing_calls).

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

const RuleSet& pm_no_indexing_calls();

}  // namespace rangescope::schedule
