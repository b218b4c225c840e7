#pragma once
// The memory plan: buffers that only exist inside a schedule share one arena a device (reference: schedule/memory.py).

#include <span>

#include "engine/ir/uop.h"

namespace rangescope::schedule {

// The LINEAR with its internal buffers replaced by parts of arenas, such that no two that are in use at the same time
// overlap. `held` are buffers that must stay as they are. A pass "memory plan".
UOp memory_plan_rewrite(UOp linear, std::span<const UOp> held);

}  // namespace rangescope::schedule
