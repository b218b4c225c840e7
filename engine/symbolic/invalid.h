#pragma once
// Patterns of values that may be invalid, shared by the rules on them.

#include "engine/rewrite/pattern.h"

namespace rangescope::symbolic {

inline Pat invalid_pat() {
  return cnst(Scalar::invalid()).named(CaptureId::i);
}
// `x` where the condition holds, else invalid.
inline Pat invalid_gate() {
  return var(CaptureId::cond).where(var(CaptureId::x), invalid_pat());
}

}  // namespace rangescope::symbolic
