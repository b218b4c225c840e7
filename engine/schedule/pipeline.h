#pragma once
// The scheduler: a graph of tensors becomes a graph of kernels.

#include "engine/ir/error.h"
#include "engine/ir/uop.h"

namespace rangescope::schedule {

// The kernel graph of a SINK of tensors: a SINK of AFTERs on CALLs of kernel ASTs. The store is one of
// symbolic::make_store(), its settings are flags.h. An error says what the reference refuses.
Result<UOp> get_kernel_graph(UOp sink);

}  // namespace rangescope::schedule
