#pragma once
// Buffers' bytes as arrays of the evaluator, and back.

#include <cstddef>
#include <memory>
#include <span>

#include "engine/eval/value.h"

namespace rangescope::eval {

std::shared_ptr<const Array> array_of(DType dtype, std::span<const std::byte> bytes);
// As many elements as `bytes` takes; floats are rounded to the dtype.
void write_bytes(const Array& array, DType dtype, std::span<std::byte> bytes);

}  // namespace rangescope::eval
