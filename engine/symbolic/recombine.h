#pragma once

#include "engine/ir/uop.h"

namespace rangescope::symbolic {

// A sum of index dtype in which a remainder meets the quotient it was split from: (b % d) * m + (b // d) * d * m is
// b * m. Null: no such pair.
UOp fold_add_divmod_recombine(UOp sum);

}  // namespace rangescope::symbolic
