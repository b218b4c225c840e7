#pragma once
// Ranges for every node, from the results back to the inputs; where ranges disagree, a value is materialized
// (reference: schedule/indexing.py, run_rangeify).

#include "engine/ir/uop.h"

namespace rangescope::schedule {

UOp run_rangeify(UOp sink);

}  // namespace rangescope::schedule
