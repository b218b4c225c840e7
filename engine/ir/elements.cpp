#include "engine/ir/elements.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "engine/ir/error.h"
#include "engine/ir/scalar_bits.h"

namespace rangescope {

namespace {

template <class T>
T read_as(const std::byte* at) {
  T v;
  std::memcpy(&v, at, sizeof(T));
  return v;
}

double float_at(DType dtype, const std::byte* at) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(itemsize(dtype)));  // little endian: the low bytes
  return float_from_bits(bits, dtype);
}

}  // namespace

double load_element(DType dtype, const std::byte* at) {
  return is_float(dtype)          ? float_at(dtype, at)
         : dtype == DType::uint64 ? static_cast<double>(read_as<uint64_t>(at))
                                  : static_cast<double>(load_int(dtype, at));
}

int64_t load_int(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::bool_:
      return read_as<uint8_t>(at) != 0 ? 1 : 0;
    case DType::int8:
      return read_as<int8_t>(at);
    case DType::uint8:
      return read_as<uint8_t>(at);
    case DType::int16:
      return read_as<int16_t>(at);
    case DType::uint16:
      return read_as<uint16_t>(at);
    case DType::int32:
      return read_as<int32_t>(at);
    case DType::uint32:
      return read_as<uint32_t>(at);
    case DType::int64:
    case DType::uint64:
      return read_as<int64_t>(at);
    default: {
      const double v = float_at(dtype, at);
      if (!(std::fabs(v) < 9.2e18)) throw GraphError("a float that is no integer is asked for as one");
      return static_cast<int64_t>(v);
    }
  }
}

void store_int(DType dtype, int64_t value, std::byte* at) {
  if (is_float(dtype)) return store_element(dtype, static_cast<double>(value), at);
  if (dtype == DType::bool_) value = value != 0 ? 1 : 0;
  std::memcpy(at, &value, static_cast<size_t>(itemsize(dtype)));  // little endian: the low bytes
}

void store_element(DType dtype, double value, std::byte* at) {
  if (!is_float(dtype)) {
    if (dtype == DType::bool_) return store_int(dtype, value != 0 ? 1 : 0, at);
    if (!(std::fabs(value) < 1.9e19)) throw GraphError(fmt::format("{} is no value of {}", value, dtype_name(dtype)));
    return store_int(
        dtype, value >= 9.2e18 ? static_cast<int64_t>(static_cast<uint64_t>(value)) : static_cast<int64_t>(value), at);
  }
  const uint64_t bits = float_bits(value, dtype);
  std::memcpy(at, &bits, static_cast<size_t>(itemsize(dtype)));
}

}  // namespace rangescope
