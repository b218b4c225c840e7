#pragma once
// Floats that the target cannot compute with: stored as their bits, computed with as a wider float (reference:
// codegen/decomp/dtype.py, second half).

#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

struct FloatDecomp {
  DType from;  // the dtype in the graph
  DType to;    // the one that is computed with
};
const RuleSet& pm_float_decomp();  // context: FloatDecomp

// The bits of a float converted to another float: the value where it widens, the bits where it narrows. Values too
// small for a normal number become 0.
UOp convert_float_bits(UOp bits, DType from, DType to);
double largest_float(DType dtype);
// A value brought into the range of `dtype`: infinite beyond it, the largest value for fp8.
UOp clamp_to_float(UOp value, DType dtype);
// The unsigned integer of a float's size.
DType bits_dtype(DType dtype);

}  // namespace rangescope::codegen
