#pragma once
// The scheduler: a graph of tensors becomes a graph of kernels.

#include <cstdint>

#include "engine/ir/error.h"
#include "engine/ir/uop.h"

namespace rangescope::schedule {

// The kernel graph of a SINK of tensors: a SINK of AFTERs on CALLs of kernel ASTs. The store is one of
// symbolic::make_store(), its settings are flags.h. An error says what the reference refuses.
Result<UOp> get_kernel_graph(UOp sink);

// The same in less than half of the memory: what a pass leaves behind is let go (Store::keep_only) where a pass ends
// with `many` nodes or more in the store; fewer are sooner done than swept. Of the store's nodes, only those of the
// result may be used afterwards. Passes and matches are the same.
Result<UOp> get_kernel_graph_alone(UOp sink, uint32_t many = 8192);

}  // namespace rangescope::schedule
