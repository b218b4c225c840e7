#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "engine/ir/dtype.h"
#include "engine/ir/op.h"
#include "engine/ir/scalar.h"

namespace rangescope {

// Rounding to a narrower float, as a double. Ties go to even; beyond the range half gives infinity, fp8 its largest
// value.
double float_to_fp16(double value);
double float_to_bf16(double value);
uint8_t float_to_fp8(double value, DType fp8);
double fp8_to_float(uint8_t bits, DType fp8);

// Brings a result into the dtype's range: bool(x), floats rounded, ints wrapped. Weak dtypes and void keep it as it is.
// Throws GraphError for a float as an integer dtype and for invalid as anything but bool.
Scalar truncate(DType dtype, const Scalar& value);

// The same bits read as another dtype of the same size. Throws GraphError where the value does not fit `from`.
Scalar bitcast(const Scalar& value, DType from, DType to);

// The op on Python constants, exactly as the reference folds them: mixed kinds, exact ints (True + True is 2), division
// by zero gives 0, comparisons give bools, max keeps the first of equals, an invalid operand of a binary op makes the
// result invalid. Then truncated to `dtype` unless told not to. Throws GraphError where Python would raise: unknown op,
// negative shift, bits of a float, overflow.
Scalar exec_alu(Op op, DType dtype, std::span<const Scalar> operands, bool truncate_output = true);
inline Scalar exec_alu(Op op, DType dtype, std::initializer_list<Scalar> operands, bool truncate_output = true) {
  return exec_alu(op, dtype, std::span<const Scalar>(operands.begin(), operands.size()), truncate_output);
}

// What leaves the other operand of ADD, MUL or MAX unchanged. Throws GraphError for any other op.
Scalar identity_element(Op op, DType dtype);

}  // namespace rangescope
