#pragma once
// Weak dtypes: constants and index arithmetic that have no width until they meet a concrete dtype (reference:
// uop/weak.py).

#include "engine/ir/uop.h"
#include "engine/rewrite/driver.h"
#include "engine/rewrite/rule.h"

namespace rangescope::symbolic {

DType default_dtype(UOp u);              // what a weak node becomes where nothing says more
UOp commit_weak(UOp s, DType dtype);     // a constant takes the dtype, anything else is cast
UOp commit_srcs_at(UOp u, DType dtype);  // `u` over its weak sources committed at dtype
UOp commit_weak_srcs(UOp u);             // weak sources take the dtype of the concrete ones; null: nothing to commit

const RuleSet& pm_cast_weak();
const RuleSet& pm_commit_weak();
const RuleSet& pm_lower_weak();
const RuleSet& pm_lower_index_dtype();  // context: NodeMap or none, what weak nodes were lowered to

}  // namespace rangescope::symbolic
