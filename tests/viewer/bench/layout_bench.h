#pragma once
// Layouts measured: first ones, steps, and how good they are beside Graphviz's dot.

#include <vector>

#include "tests/viewer/bench/measured.h"

namespace rangescope::viewer {

std::vector<Measured> measureLayouts();

}  // namespace rangescope::viewer
