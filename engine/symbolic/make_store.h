#pragma once

#include <memory>

#include "engine/ir/store.h"

namespace rangescope::symbolic {

// A store for compiling: nodes can be simplified (UOp::simplify) and the shapes of functions resolved.
std::unique_ptr<Store> make_store();

}  // namespace rangescope::symbolic
