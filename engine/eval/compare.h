#pragma once
// Whether two evaluations came to the same numbers.

#include <optional>
#include <string>

#include "engine/eval/evaluate.h"

namespace rangescope::eval {

// Floats are the same within `relative` of the largest magnitude of the buffer or value, or within `absolute`: double
// precision leaves that much to the order of a sum.
struct Tolerance {
  double relative = 1e-7;
  double absolute = 1e-9;
};

struct Difference {
  int64_t slot = -1;   // of a parameter's buffer; -1: of a value
  int64_t value = -1;  // which value
  int64_t element = -1;
  std::string text;  // in words
};

// The first difference in buffers and values, from `a` to `b`. An invalid element of `a` stands for anything, so it may
// become a value; a value may not become invalid. Buffers that only one side knows must not have changed there; values
// whose ranges or shapes differ are a difference.
std::optional<Difference> difference(const Outcome& a, const Outcome& b, const Tolerance& tolerance = {});

}  // namespace rangescope::eval
