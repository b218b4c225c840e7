#pragma once
// Which values are materialized whatever the ranges turn out to be (reference: schedule/indexing.py,
// pm_generate_realize_map).

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

// Context: IndexingContext. The rules only take notes; none of them rewrites.
const RuleSet& pm_generate_realize_map();

}  // namespace rangescope::schedule
