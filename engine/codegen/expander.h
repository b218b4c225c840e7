#pragma once
// Unrolled and upcast ranges become dimensions of the values (reference: codegen/__init__.py, expander2).

#include <unordered_map>

#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

// Which dimension an unrolled or upcast range becomes: by the range's first id.
using RangeMap = std::unordered_map<int64_t, int64_t>;
RangeMap build_range_map(UOp sink);

const RuleSet& expander2();  // context: RangeMap

}  // namespace rangescope::codegen
