#pragma once
// Rules on loop ranges: flatten, merge, shrink, split (reference: codegen/simplify.py, first half).

#include "engine/ir/uop.h"
#include "engine/rewrite/driver.h"
#include "engine/rewrite/rule.h"

namespace rangescope::symbolic {

const RuleSet& pm_flatten_range();
// Context: NodeMap, a range -> the size that it can shrink to.
const RuleSet& pm_simplify_ranges();
// Context: NodeMap, a range -> the size of its inner half.
const RuleSet& pm_split_ranges();

}  // namespace rangescope::symbolic
