#pragma once
// Neighbouring loads and stores become wide ones (reference: codegen/late/coalesce.py).

#include "engine/codegen/target.h"
#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

const RuleSet& indexing_simplify();      // indices simplified by the condition they are valid under
const RuleSet& pm_simplify_add_image();  // images are left out; what concerns their storage dtype stays
UOp memory_coalescing(UOp sink, const Target& target);

}  // namespace rangescope::codegen
