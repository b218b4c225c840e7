#pragma once
// A COPY becomes a STORE into a buffer of its own, or into the one it is stored to (reference: schedule/rangeify.py,
// pm_copy_to_store).

#include <cstdint>

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

// Context: the slot of the next buffer.
struct SlotCounter {
  int64_t next = 0;
};

const RuleSet& pm_copy_to_store();

}  // namespace rangescope::schedule
