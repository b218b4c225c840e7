#pragma once
// Bytes of a device's buffers in the golden corpus's terms (engine/ir/corpus_numbers.h).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/ir/dtype.h"

namespace rangescope::runtime {

// `count` elements of a buffer in slot `slot`.
std::vector<std::byte> corpus_fill(int64_t slot, DType dtype, size_t count);

// What the corpus says of a buffer.
std::string buffer_numbers(int64_t slot, DType dtype, size_t count, std::span<const std::byte> before,
                           std::span<const std::byte> after);

}  // namespace rangescope::runtime
