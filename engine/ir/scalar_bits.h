#pragma once

#include <cstdint>

#include "engine/ir/dtype.h"
#include "engine/ir/scalar.h"

namespace rangescope {

// Rounding to a narrower float, as a double. Ties go to even; beyond the range half gives infinity, fp8 its largest
// value.
double float_to_fp16(double value);
double float_to_bf16(double value);
uint8_t float_to_fp8(double value, DType fp8);
double fp8_to_float(uint8_t bits, DType fp8);

// What a float dtype holds for a value, rounded so, in the low bits; and the value of such bits.
uint64_t float_bits(double value, DType dtype);
double float_from_bits(uint64_t bits, DType dtype);

// Brings a result into the dtype's range: bool(x), floats rounded, ints wrapped. Weak dtypes and void keep it as it is.
// Throws GraphError for a float as an integer dtype and for invalid as anything but bool.
Scalar truncate(DType dtype, const Scalar& value);

// The same bits read as another dtype of the same size. Throws GraphError where the value does not fit `from`.
Scalar bitcast(const Scalar& value, DType from, DType to);

}  // namespace rangescope
