#pragma once
// What a kernel graph may be made of (reference: uop/spec.py, spec_kernel_graph).

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

const RuleSet& spec_kernel_graph();

// Refuses (GraphError) a kernel graph with a node that the spec does not allow. Kernels are not entered.
void verify_kernel_graph(UOp sink);

}  // namespace rangescope::schedule
