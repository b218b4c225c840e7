#pragma once
// GLSL spellings of dtypes, constants and conversions.

#include <string>

#include "engine/ir/dtype.h"
#include "engine/ir/scalar.h"

namespace rangescope::codegen {

// The type of a value. Refuses (GraphError) dtypes that GLSL has no type for.
std::string glsl_type(DType dtype);
// The type of an element in a buffer: as glsl_type, but a bool is a uint8_t.
std::string glsl_storage_type(DType dtype);
// A vector of 2 to 4 values.
std::string glsl_vector_type(DType dtype, size_t count);

// A constant as an expression of the dtype's type.
std::string glsl_literal(const Scalar& value, DType dtype);
// An expression of dtype `from` converted to `to`, by value or by its bits.
std::string glsl_cast(const std::string& value, DType from, DType to);
std::string glsl_bitcast(const std::string& value, DType from, DType to);

}  // namespace rangescope::codegen
