#pragma once

#include "engine/ir/uop.h"

namespace rangescope::symbolic {

// A simpler form of a FLOORDIV or FLOORMOD of index dtype; null: none is known. Answers are remembered in the store.
UOp fold_divmod_general(UOp d);

}  // namespace rangescope::symbolic
