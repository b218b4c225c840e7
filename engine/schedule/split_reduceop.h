#pragma once

#include "engine/ir/uop.h"

namespace rangescope::schedule {

// A reduce of very many elements to few is split in two, so that the first half has parallel work. Null: not worth it.
UOp split_reduceop(UOp reduce, UOp x);

}  // namespace rangescope::schedule
