#pragma once
// Stages that are not worth their buffer go away again (reference: schedule/rangeify.py, pm_const_buffer_folding and
// pm_remove_bufferize).

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

// Dead axes, stages of what is in a buffer already, constants; with pm_mops.
const RuleSet& pm_const_buffer_folding();

// Stages whose value is cheaper computed again where it is read.
const RuleSet& pm_remove_bufferize();

// Keeps a substitution below the ranges it replaces. Context: its NodeMap.
const RuleSet& pm_gate_substitute();

}  // namespace rangescope::schedule
