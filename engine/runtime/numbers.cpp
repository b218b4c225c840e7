#include "engine/runtime/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/ir/corpus_numbers.h"
#include "engine/ir/scalar_bits.h"

namespace rangescope::runtime {

namespace {

// Bits of a float16 value that is exactly representable.
uint16_t half_bits(double value) {
  if (std::isnan(value)) return 0x7e00;
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double a = std::fabs(value);
  if (std::isinf(a)) return static_cast<uint16_t>(sign | 0x7c00);
  if (a == 0) return sign;
  int exponent = 0;
  const double m = std::frexp(a, &exponent);  // a = m * 2^exponent, m in [0.5, 1)
  if (exponent < -13) return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::ldexp(a, 24)));
  return static_cast<uint16_t>(sign | ((exponent + 14) << 10) | (static_cast<uint16_t>(std::ldexp(m, 11)) & 0x3ff));
}

double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * INFINITY;
  return exponent == 0 ? sign * std::ldexp(mantissa, -24) : sign * std::ldexp(1024 + mantissa, exponent - 25);
}

template <class T>
double load(std::span<const std::byte> bytes, size_t i) {
  T v;
  std::memcpy(&v, bytes.data() + i * sizeof(T), sizeof(T));
  return static_cast<double>(v);
}

double element(DType dtype, std::span<const std::byte> bytes, size_t i) {
  switch (dtype) {
    case DType::bool_:
      return load<uint8_t>(bytes, i) != 0 ? 1 : 0;
    case DType::int8:
      return load<int8_t>(bytes, i);
    case DType::uint8:
      return load<uint8_t>(bytes, i);
    case DType::int16:
      return load<int16_t>(bytes, i);
    case DType::uint16:
      return load<uint16_t>(bytes, i);
    case DType::int32:
      return load<int32_t>(bytes, i);
    case DType::uint32:
      return load<uint32_t>(bytes, i);
    case DType::int64:
      return load<int64_t>(bytes, i);
    case DType::uint64:
      return load<uint64_t>(bytes, i);
    case DType::float16:
      return half_value(static_cast<uint16_t>(load<uint16_t>(bytes, i)));
    case DType::bfloat16: {
      const uint32_t bits = static_cast<uint32_t>(load<uint16_t>(bytes, i)) << 16;
      return std::bit_cast<float>(bits);
    }
    case DType::float32:
      return load<float>(bytes, i);
    case DType::float64:
      return load<double>(bytes, i);
    default:
      return fp8_to_float(static_cast<uint8_t>(load<uint8_t>(bytes, i)), dtype);
  }
}

}  // namespace

Result<std::vector<std::byte>> corpus_fill(int64_t slot, DType dtype, size_t count) {
  if (!has_corpus_fill(dtype))
    return tl::unexpected(Error{fmt::format("a buffer of {} has no fill in the corpus.", dtype_name(dtype))});
  const auto size = static_cast<size_t>(itemsize(dtype));
  std::vector<std::byte> out(count * size);
  for (size_t i = 0; i < count; ++i) {
    const double f = corpus_fill_element(slot, dtype, i);
    std::byte* at = out.data() + i * size;
    if (dtype == DType::float64) {
      std::memcpy(at, &f, size);
    } else if (dtype == DType::float32) {
      const auto v = static_cast<float>(f);
      std::memcpy(at, &v, size);
    } else if (dtype == DType::float16) {
      const uint16_t v = half_bits(f);
      std::memcpy(at, &v, size);
    } else {
      const auto v = static_cast<uint64_t>(f);  // little endian: the low bytes of any integer
      std::memcpy(at, &v, size);
    }
  }
  return out;
}

std::string buffer_numbers(int64_t slot, DType dtype, size_t count, std::span<const std::byte> before,
                           std::span<const std::byte> after) {
  return rangescope::buffer_numbers(slot, dtype, count, !std::ranges::equal(before, after),
                                    [&](size_t i) { return element(dtype, after, i); });
}

}  // namespace rangescope::runtime
