#pragma once

#include "engine/ir/uop.h"

namespace rangescope::schedule {

// The body of a FUNCTION with its arguments in place of its parameters; null for a precompiled one, which stays a call.
UOp resolve_function(UOp function);

}  // namespace rangescope::schedule
