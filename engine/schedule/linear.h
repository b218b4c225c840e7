#pragma once
// From a call of a SINK of tensors to the list of what runs (reference: schedule/__init__.py, create_linear_with_vars):
// the kernels are scheduled and ordered, calls of lists of kernels are spliced in, parameters become the buffers they
// stand for, transfers between devices become COPYs, and internal buffers get their place in memory.

#include <string>
#include <utility>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

struct LinearProgram {
  UOp linear;                                            // a LINEAR of CALLs on buffers
  std::vector<std::pair<std::string, Scalar>> var_vals;  // of the bound variables that the kernels use
};

// `big_sink` is a CALL of a SINK on its buffers and bound variables, or the SINK alone.
Result<LinearProgram> create_linear_with_vars(UOp big_sink);

// ** its rules
const RuleSet& pm_schedule();
const RuleSet& pm_post_sched_cache();  // context of its own: what a call gives its body
const RuleSet& pm_resolve_linear_call();

}  // namespace rangescope::schedule
