// How dtypes hold numbers: wrapping, rounding, and bits read as another dtype.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "engine/eval/elementwise.h"
#include "engine/ir/error.h"
#include "engine/ir/scalar_bits.h"

namespace rangescope::eval {

namespace {

uint64_t bits_of(const Array& a, DType dtype, size_t i) {
  if (!is_float(dtype)) return static_cast<uint64_t>(a.ints[i]);
  const double x = a.floats[i];
  if (dtype == DType::float64) return std::bit_cast<uint64_t>(x);
  if (dtype == DType::float32) return std::bit_cast<uint32_t>(static_cast<float>(x));
  constexpr std::array<DType, 3> kUnsigned{DType::void_, DType::uint8, DType::uint16};
  return rangescope::bitcast(Scalar(rounded(x, dtype)), dtype, kUnsigned.at(static_cast<size_t>(itemsize(dtype))))
      .as_int()
      .low_bits();
}

void set_bits(Array& a, DType dtype, size_t i, uint64_t bits) {
  if (dtype == DType::bool_) {
    a.ints[i] = (bits & 0xff) != 0 ? 1 : 0;
  } else if (!is_float(dtype)) {
    a.ints[i] = wrapped(static_cast<int64_t>(bits), dtype);
  } else if (dtype == DType::float64) {
    a.floats[i] = std::bit_cast<double>(bits);
  } else if (dtype == DType::float32) {
    a.floats[i] = std::bit_cast<float>(static_cast<uint32_t>(bits));
  } else {
    const DType as = itemsize(dtype) == 1 ? DType::uint8 : DType::uint16;
    const int64_t low = wrapped(static_cast<int64_t>(bits), as);
    a.floats[i] = rangescope::bitcast(Scalar(low), as, dtype).as_double();
  }
}

}  // namespace

int64_t wrapped(int64_t value, DType dtype) {
  switch (dtype) {
    case DType::bool_:
      return value != 0 ? 1 : 0;
    case DType::int8:
      return static_cast<int8_t>(value);
    case DType::uint8:
      return static_cast<uint8_t>(value);
    case DType::int16:
      return static_cast<int16_t>(value);
    case DType::uint16:
      return static_cast<uint16_t>(value);
    case DType::int32:
      return static_cast<int32_t>(value);
    case DType::uint32:
      return static_cast<uint32_t>(value);
    default:
      return value;
  }
}

double machine_rounded(double value, DType dtype) {
  const double r = rounded(value, dtype);
  if (!dtypes::fp8s.contains(dtype)) return r;
  const bool fnuz = dtypes::fp8_fnuz.contains(dtype);
  const int bias = (1 << (finfo(dtype).exponent - 1)) - (fnuz ? 0 : 1);
  return std::fabs(r) < std::ldexp(1.0, 1 - bias) ? std::copysign(0.0, r) : r;
}

double rounded(double value, DType dtype) {
  switch (dtype) {
    case DType::float32:
      return static_cast<float>(value);
    case DType::float16:
      return float_to_fp16(value);
    case DType::bfloat16:
      return float_to_bf16(value);
    case DType::fp8e4m3:
    case DType::fp8e5m2:
    case DType::fp8e4m3fnuz:
    case DType::fp8e5m2fnuz:
      return fp8_to_float(float_to_fp8(value, dtype), dtype);
    default:
      return value;
  }
}

uint64_t threefry(uint64_t x, uint64_t key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  const uint32_t ks[3] = {k1, k0 ^ k1 ^ 0x1BD11BDA, k0};
  uint32_t a = static_cast<uint32_t>(x) + ks[2], b = static_cast<uint32_t>(x >> 32) + ks[0];
  for (uint32_t i = 0; i < 5; ++i) {
    for (const int r : kRotations[i % 2]) {
      a += b;
      b = a ^ std::rotl(b, r);
    }
    a += ks[i % 3];
    b += ks[(i + 1) % 3] + i + 1;
  }
  return static_cast<uint64_t>(b) << 32 | a;
}

Value bitcast(const Value& v, DType dtype, Meter& meter) {
  const auto from = static_cast<size_t>(itemsize(v.dtype)), to = static_cast<size_t>(itemsize(dtype));
  if (from == 0 || to == 0 || from > 8 || to > 8)
    throw GraphError(fmt::format("no bits of {} as {}", dtype_name(v.dtype), dtype_name(dtype)));
  const Value d = dense(v, meter);
  Sizes dims = d.dims;
  if (from != to && d.rank() > 0) {
    const int64_t bytes = dims.back() * static_cast<int64_t>(from);
    if (bytes % static_cast<int64_t>(to) != 0) throw GraphError("a bitcast does not divide the last axis");
    dims.back() = bytes / static_cast<int64_t>(to);
  } else if (from != to) {
    throw GraphError("a bitcast to another size needs an axis");
  }
  Made made = make_value(dtype, d.ranges, dims, meter);
  const auto n = static_cast<size_t>(made.value.count());
  if (d.has_invalid()) {
    if (from != to) throw GraphError("a bitcast to another size of values that may be invalid");
    made.array->invalid = d.data->invalid;
  }
  for (size_t i = 0; i < n; ++i) {
    uint64_t bits = 0;
    if (to <= from) {
      bits = bits_of(*d.data, v.dtype, i * to / from) >> (8 * (i * to % from));
    } else {
      for (size_t k = 0; k < to / from; ++k) {
        uint64_t part = bits_of(*d.data, v.dtype, i * (to / from) + k);
        part &= from == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * from)) - 1;
        bits |= part << (8 * from * k);
      }
    }
    set_bits(*made.array, dtype, i, bits);
  }
  return made.value;
}

}  // namespace rangescope::eval
