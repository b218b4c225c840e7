#pragma once
// Whether numbers that a machine computed are what a graph means. The machine computes in the graph's own dtypes and
// sums in an order of its own; how much that may make is stated here, in one place.

#include <optional>

#include "engine/eval/compare.h"
#include "engine/eval/evaluate.h"

namespace rangescope::eval {

// The graph evaluated twice: exactly, and with every op rounded to its dtype. Where the two are far apart, rounding
// decides the number (a difference of large terms, a comparison of nearly equal ones), and a machine's may be as far.
struct Expectation {
  Outcome exact, rounded;
  Tolerance tolerance;  // for machines, by what the graph computes in
};

Result<Expectation> expectation(UOp graph, Inputs inputs);

// What a machine may make of one op after another: of the narrowest float dtype that the graph computes in, relative
// to the largest magnitude of a buffer,
//   float64 1e-10, float32 1e-5, float16 8e-3, bfloat16 6e-2, fp8 0.5 to 1 (and 1/16 to 1/8 of numbers near zero:
//   within a kernel it is computed in float16),
// and 1e-4 in float32 where it has EXP2, LOG2, SIN or POW: drivers' built-ins are that far off near their zeros. The
// length of reductions counts through Expectation::rounded.
Tolerance machine_tolerance(UOp graph);

// The first element of the buffer in `slot` that is neither near the exact number nor near the rounded one. Integers
// and bools are equal, except where rounding decides. None as well where the graph has no such buffer.
std::optional<Difference> machine_difference(const Expectation& expected, int64_t slot, const Array& got);

}  // namespace rangescope::eval
