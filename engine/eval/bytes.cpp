#include "engine/eval/bytes.h"

#include "engine/ir/elements.h"

namespace rangescope::eval {

std::shared_ptr<const Array> array_of(DType dtype, std::span<const std::byte> bytes) {
  auto array = std::make_shared<Array>();
  const auto step = static_cast<size_t>(itemsize(dtype));
  const size_t count = step == 0 ? 0 : bytes.size() / step;
  if (is_float(dtype)) {
    array->floats.resize(count);
    for (size_t i = 0; i < count; ++i) array->floats[i] = load_element(dtype, bytes.data() + i * step);
  } else {
    array->ints.resize(count);
    for (size_t i = 0; i < count; ++i) array->ints[i] = load_int(dtype, bytes.data() + i * step);
  }
  return array;
}

void write_bytes(const Array& array, DType dtype, std::span<std::byte> bytes) {
  const auto step = static_cast<size_t>(itemsize(dtype));
  for (size_t i = 0; i * step < bytes.size(); ++i) {
    if (is_float(dtype))
      store_element(dtype, array.floats[i], bytes.data() + i * step);
    else
      store_int(dtype, array.ints[i], bytes.data() + i * step);
  }
}

}  // namespace rangescope::eval
