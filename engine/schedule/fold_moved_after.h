#pragma once
// A hack for openpilot: what reads a value that was stored after being moved reads the stored one instead (reference:
// schedule/rangeify.py, pm_fold_moved_after).

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

// Context: NodeMap, a value -> its stored version.
const RuleSet& pm_fold_moved_after();

}  // namespace rangescope::schedule
