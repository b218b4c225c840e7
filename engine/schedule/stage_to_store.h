#pragma once
// A stage becomes a buffer and the store that fills it (reference: schedule/rangeify.py, pm_add_buffers).

#include "engine/rewrite/rule.h"
#include "engine/schedule/copy_to_store.h"

namespace rangescope::schedule {

// The buffer of a stage with one index, after the store into it; null for a local one unless those are allowed.
UOp bufferize_to_store(SlotCounter& slots, UOp stage, UOp idx, bool allow_locals);

// A stage over several ranges is one over a flat index, reshaped.
const RuleSet& pm_flatten_bufferize();

// With pm_mops and pm_flatten_bufferize. Context: SlotCounter.
const RuleSet& pm_add_buffers();

// Marks parameters and ranges that have not been numbered for a kernel yet.
const RuleSet& pm_add_param_range_tags();

}  // namespace rangescope::schedule
