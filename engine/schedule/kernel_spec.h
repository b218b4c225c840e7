#pragma once
// What a kernel graph may be made of (reference: uop/spec.py, spec_kernel_graph).

#include "engine/ir/uop.h"

namespace rangescope::schedule {

// Refuses (GraphError) a kernel graph with a node that the spec does not allow.
void verify_kernel_graph(UOp sink);

}  // namespace rangescope::schedule
