#pragma once
// Clean-ups of the tensor graph before ranges (reference: schedule/rangeify.py, earliest_rewrites).

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

const RuleSet& earliest_rewrites();

}  // namespace rangescope::schedule
