#pragma once
// Reductions across devices (reference: schedule/allreduce.py).

#include "engine/ir/uop.h"

namespace rangescope::schedule {

// What an ALLREDUCE `red` of `buf` becomes: a call of its own, or the copies and sums; null declines.
UOp create_allreduce_function(UOp buf, UOp red);

}  // namespace rangescope::schedule
