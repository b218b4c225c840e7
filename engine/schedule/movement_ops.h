#pragma once
// Movement ops as arithmetic on ranges: the ranges that index the result of an op, turned into those that index its
// source (reference: schedule/indexing.py, apply_movement_op; schedule/rangeify.py, pm_mops).

#include <span>

#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

// The ranges of the source of `mop` (a movement op) when its result is indexed by `rngs`. Remembered for the life of
// the store, as are the rewrites it starts ("reshape" and "pad"): those are passes only the first time.
const UOps& apply_movement_op(UOp mop, std::span<const UOp> rngs);

// The same for a reshape `in_shape` -> `out_shape` that is no node.
const UOps& apply_reshape(Store& store, const Shape& in_shape, const Shape& out_shape, std::span<const UOp> rngs);

// INDEX on a movement op becomes INDEX on its source; movement ops move out of AFTER and END.
const RuleSet& pm_mops();

}  // namespace rangescope::schedule
