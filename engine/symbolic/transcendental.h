#pragma once
// exp2, log2, sin and pow from simpler operations, in the style of SLEEF (reference: codegen/decomp/transcendental.py).
// Arguments are of dtype float16, float32 or float64.

#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope::symbolic {

UOp xexp2(UOp d);
UOp xlog2(UOp d);
// `fast` takes |d| <= switch_over for granted; beyond it the slower Payne-Hanek reduction is needed.
UOp xsin(UOp d, bool fast = false, double switch_over = 30.0);
// base ** exponent by exp2 and log2.
UOp xpow(UOp base, UOp exponent);

// A remainder modulo pi/2, and the quadrant as int32.
struct Reduced {
  UOp remainder, quadrant;
};
Reduced payne_hanek_reduction(UOp d);  // 39800 <= d
Reduced cody_waite_reduction(UOp d);   // |d| <= 39800

// The decompositions of what a target has no code for: of EXP2, LOG2, SIN and SQRT those that are not `native`, or all
// of them.
const RuleSet& transcendental_rules(OpSet native, bool force = false);

}  // namespace rangescope::symbolic
