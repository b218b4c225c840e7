#pragma once
// Division by a constant as multiplication and shift (reference: codegen/decomp/op.py, fast_idiv).

#include <utility>

#include "engine/codegen/target.h"
#include "engine/ir/uop.h"

namespace rangescope::codegen {

// m and s such that x / d == (x * m) >> s for 0 <= x <= vmax; d > 0.
std::pair<Int, int64_t> magic_division(const Int& vmax, const Int& d);

// x / d rounded towards zero; null: there is no dtype wide enough.
UOp fast_division(const Target& target, UOp x, const Int& d, bool may_cast = true);

}  // namespace rangescope::codegen
