#pragma once

#include "engine/ir/uop.h"

namespace rangescope::schedule {

// A BITCAST between dtypes of different size, as shifts of unsigned integers. Null: the sizes agree, or the value is on
// a disk, where the bytes stand as they are.
UOp expand_bitcast(UOp bitcast);

}  // namespace rangescope::schedule
