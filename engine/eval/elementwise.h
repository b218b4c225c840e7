#pragma once
// One element of each operand makes one element of the result: arithmetic, comparisons, WHERE, CAST, BITCAST.
// Floats are computed in double precision and rounded to their dtype by CAST and BITCAST alone; integers wrap as their
// dtype does, and an integer of the index dtype that leaves 64 bits is refused.

#include <span>

#include "engine/eval/value.h"

namespace rangescope::eval {

Value elementwise(Op op, DType dtype, std::span<const Value> operands, Meter& meter);
Value cast(const Value& v, DType dtype, Meter& meter);
// Also between dtypes of different sizes, along the last axis.
Value bitcast(const Value& v, DType dtype, Meter& meter);

// An int64 as the dtype holds it.
int64_t wrapped(int64_t value, DType dtype);
// A double rounded to a float dtype.
double rounded(double value, DType dtype);
// The same as a machine may do it that emulates the dtype: numbers of fp8 below the normal ones are zero.
double machine_rounded(double value, DType dtype);
uint64_t threefry(uint64_t x, uint64_t key);

}  // namespace rangescope::eval
