#pragma once
// One arithmetic op as a GLSL expression.

#include <span>
#include <string>

#include "engine/ir/uop.h"

namespace rangescope::codegen {

// `operands` are expressions, one a source; those that are no plain names stand in parentheses. Refuses (GraphError) an
// op that GLSL has nothing for.
std::string glsl_alu(UOp u, std::span<const std::string> operands);

// An expression without the parentheses around the whole of it.
std::string glsl_unwrapped(const std::string& text);

}  // namespace rangescope::codegen
