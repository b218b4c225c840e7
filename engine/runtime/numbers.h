#pragma once
// Numbers of a run in the golden corpus's format: how parameter buffers are filled before, and what is said of them
// after (tests/golden/README.md).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/ir/dtype.h"
#include "engine/ir/error.h"

namespace rangescope::runtime {

// `count` elements of a buffer in slot `slot`. Refuses a dtype that the corpus does not fill.
Result<std::vector<std::byte>> corpus_fill(int64_t slot, DType dtype, size_t count);

// One JSON object: slot, dtype, count, whether the buffer changed, sum, abs_sum and samples, in double precision.
std::string buffer_numbers(int64_t slot, DType dtype, size_t count, std::span<const std::byte> before,
                           std::span<const std::byte> after);

}  // namespace rangescope::runtime
