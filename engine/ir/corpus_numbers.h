#pragma once
// Numbers of a run in the golden corpus's format: how parameter buffers are filled before, and what is said of them
// after (tests/golden/README.md). Runs on a device and evaluations fill and report alike.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "engine/ir/dtype.h"

namespace rangescope {

// Element `i` of a buffer in slot `slot`; every one is a double exactly. Dtypes that the corpus does not fill get the
// same numbers, rounded to them.
double corpus_fill_element(int64_t slot, DType dtype, uint64_t i);

// One JSON object: slot, dtype, count, whether the buffer changed, sum, abs_sum and samples, in double precision.
std::string buffer_numbers(int64_t slot, DType dtype, size_t count, bool changed,
                           const std::function<double(size_t)>& element);

}  // namespace rangescope
