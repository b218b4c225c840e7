#pragma once

#include <vector>

#include "engine/ir/int.h"

namespace rangescope::symbolic {

// The distinct values of `values` in the order in which a Python set of them iterates. The reference picks the first of
// equally good divisors out of such a set, so the order is part of the meaning. Values are positive.
std::vector<Int> python_set_order(const std::vector<Int>& values);

}  // namespace rangescope::symbolic
