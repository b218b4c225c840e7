#pragma once
// Random tensor programs, each from its seed.

#include <cstdint>

#include "engine/ir/program.h"
#include "engine/ir/store.h"

namespace rangescope::fuzz {

// All dtypes, all movement, arithmetic, comparisons, casts and bitcasts, reductions, stores to whole buffers and to
// parts, several outputs, and the scheduler's flags. Floats are kept where a machine's rounding decides no integer:
// only those that are exact are compared or cast to integers, arguments stay in the domain of their function, and what
// is cast to an integer stays in its range. No buffer has the shape (height, width, 4): that is an image, whose
// elements are read as floats whatever its dtype.
Program random_program(Store& store, uint32_t seed);

}  // namespace rangescope::fuzz
