#pragma once
// The rewritten graph in execution order (reference: codegen/late/linearizer.py, linearize; codegen/__init__.py,
// pm_linearize_cleanups).

#include "engine/ir/uop.h"

namespace rangescope::codegen {

UOps linearize(UOp sink);
// A gated store becomes IF, STORE, ENDIF.
UOps add_gates(const UOps& ops);

}  // namespace rangescope::codegen
