#include "engine/runtime/numbers.h"

#include <algorithm>

#include "engine/ir/corpus_numbers.h"
#include "engine/ir/elements.h"

namespace rangescope::runtime {

std::vector<std::byte> corpus_fill(int64_t slot, DType dtype, size_t count) {
  const auto size = static_cast<size_t>(itemsize(dtype));
  std::vector<std::byte> out(count * size);
  for (size_t i = 0; i < count; ++i) store_element(dtype, corpus_fill_element(slot, dtype, i), out.data() + i * size);
  return out;
}

std::string buffer_numbers(int64_t slot, DType dtype, size_t count, std::span<const std::byte> before,
                           std::span<const std::byte> after) {
  const auto size = static_cast<size_t>(itemsize(dtype));
  return rangescope::buffer_numbers(slot, dtype, count, !std::ranges::equal(before, after),
                                    [&](size_t i) { return load_element(dtype, after.data() + i * size); });
}

}  // namespace rangescope::runtime
