#pragma once

#include <initializer_list>
#include <span>

#include "engine/ir/dtype.h"
#include "engine/ir/op.h"
#include "engine/ir/scalar.h"
#include "engine/ir/scalar_bits.h"  // truncate, which exec_alu ends with

namespace rangescope {

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
