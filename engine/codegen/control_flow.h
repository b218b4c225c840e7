#pragma once
// Loops in an order, and barriers between what shares memory (reference: codegen/late/linearizer.py, first half;
// codegen/__init__.py, pm_implicit_barriers).

#include "engine/ir/uop.h"
#include "engine/rewrite/driver.h"
#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

const RuleSet& pm_implicit_barriers();
const RuleSet& pm_split_ends();

// What must be over before a range begins: the range -> the END, or the enclosing RANGE.
NodeMap control_flow_edges(UOp sink);
const RuleSet& pm_add_control_flow();  // context: NodeMap

}  // namespace rangescope::codegen
