#pragma once

#include "engine/ir/uop.h"

namespace rangescope::symbolic {

// The reference's `base ** exponent`: POW of the promoted operands. Refuses a constant exponent that would need a float
// base and has none.
UOp pow(UOp base, UOp exponent);
UOp pow(UOp base, const Scalar& exponent);

}  // namespace rangescope::symbolic
