#pragma once

#include "engine/ir/uop.h"

namespace rangescope::symbolic {

// base ** exponent by exp2 and log2 (reference: codegen/decomp/transcendental.py).
UOp xpow(UOp base, UOp exponent);

}  // namespace rangescope::symbolic
