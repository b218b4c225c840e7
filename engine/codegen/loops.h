#pragma once
// How many loop iterations one invocation of a kernel goes through, and which loops are unrolled to keep them below
// what a driver allows.

#include <cstdint>
#include <unordered_map>

#include "engine/ir/uop.h"

namespace rangescope::codegen {

struct LoopPlan {
  // By id of a RANGE: how many of its steps stand one after another in the shader, from 2 up to all of them.
  std::unordered_map<uint32_t, int64_t> unroll;  // looked up, never iterated
  uint64_t iterations = 0;                       // of all loops that are left, at most; saturates
};

// `most_iterations` 0: there is no limit, and nothing is unrolled. Where the limit cannot be kept with a shader of
// reasonable size, the plan comes as near as it can, and `iterations` says how near.
LoopPlan plan_loops(const UOps& linear, uint64_t most_iterations);

// Steps of a RANGE, at most; saturates.
uint64_t most_steps(UOp range);

}  // namespace rangescope::codegen
