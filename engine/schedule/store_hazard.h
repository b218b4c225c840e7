#pragma once

#include "engine/ir/uop.h"

namespace rangescope::schedule {

// Whether `base` is reached from `root` without entering the bodies of calls.
bool reaches(UOp root, UOp base);

// A STORE of `src` whose values come, moved, from the buffer that it overwrites: stores a copy of them instead. Null:
// no hazard.
UOp fix_store_hazard(UOp target, UOp src);

}  // namespace rangescope::schedule
