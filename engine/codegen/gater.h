#pragma once
// The condition of an index becomes the gate of its load or store (reference: codegen/late/gater.py).

#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

const RuleSet& pm_move_gates_from_index();

}  // namespace rangescope::codegen
