#pragma once
// 64-bit integers as two 32-bit words, for targets without them (reference: codegen/decomp/dtype.py, first half).
// Knuth, The Art of Computer Programming, 4.3.1.

#include <map>
#include <vector>

#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

// What was split already: both words of a node ask for the same.
using LongDecomp = std::map<std::vector<uint32_t>, UOps>;
const RuleSet& pm_long_decomp();  // context: LongDecomp

// `op` on words, low before high, of dtype `dt` (int32 or uint32). Two words, or one value where the result is none of
// 64 bits.
UOps words_of(Op op, DType dt, const UOps& x);

}  // namespace rangescope::codegen
