#pragma once
// How kernels are named: r for a reduction or E, then the size of every axis in the colour of its kind.

#include <string>
#include <string_view>

#include "engine/ir/op.h"

namespace rangescope::codegen {

// Colour names in capitals are the bright ones. Empty: no colour.
std::string colored(std::string_view text, std::string_view color);
std::string_view axis_color(AxisType type);

}  // namespace rangescope::codegen
