#pragma once
// Reductions across devices (reference: schedule/allreduce.py).

#include "engine/ir/uop.h"

namespace rangescope::schedule {

// The copies and sums of an ALLREDUCE `red` of `buf`; null where `buf` does not live on several devices. Large ones go
// around a ring or from each to all, in as many chunks as there are devices.
UOp handle_allreduce(UOp buf, UOp red);

// The same as a precompiled call of its own, which writes a new buffer.
UOp create_allreduce_function(UOp buf, UOp red);

}  // namespace rangescope::schedule
