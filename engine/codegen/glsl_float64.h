#pragma once
// GLSL has no exponential functions of float64: their definitions, for shaders that use them.

#include <string>

namespace rangescope::codegen {

// Of those of exp2_float64 and log2_float64 that `body` calls. Within 2 ulp; zeros, infinities, NaN and subnormal
// numbers as IEEE 754 has them.
std::string glsl_float64_functions(const std::string& body);

}  // namespace rangescope::codegen
