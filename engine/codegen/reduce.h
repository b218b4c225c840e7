#pragma once
// Reductions become accumulators, staged values become local buffers (reference: codegen/__init__.py, pm_reduce_local
// and pm_add_local_buffers).

#include <cstdint>

#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

struct ReduceContext {
  int64_t accumulators = 0;
  bool sums_outlast_stages = false;  // Settings::sums_outlast_stages
};
const RuleSet& pm_reduce_local();       // context: ReduceContext
const RuleSet& pm_add_local_buffers();  // context: int64_t, the next slot

}  // namespace rangescope::codegen
