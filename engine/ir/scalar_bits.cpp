#include "engine/ir/scalar_bits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "engine/ir/error.h"

namespace rangescope {

namespace {

// To the nearest value with this many mantissa bits and no exponent below the least; ties to even.
double round_to(double value, int mantissa, int least_exponent) {
  if (value == 0.0 || !std::isfinite(value)) return value;
  const int place = std::max(std::ilogb(value), least_exponent) - mantissa;
  return std::ldexp(std::nearbyint(std::ldexp(value, -place)), place);
}

struct Fp8 {
  int bias;
  int mantissa;     // bits of it
  uint8_t largest;  // code of the largest finite value
  bool fnuz;        // no infinity, no negative zero: its code is the only nan
};

constexpr Fp8 fp8_format(DType dtype) {
  switch (dtype) {
    case DType::fp8e4m3:
      return {7, 3, 0x7e, false};
    case DType::fp8e5m2:
      return {15, 2, 0x7b, false};
    case DType::fp8e4m3fnuz:
      return {8, 3, 0x7f, true};
    case DType::fp8e5m2fnuz:
      return {16, 2, 0x7f, true};
    default:
      RS_CHECK(false, "not an fp8 dtype");
      return {};
  }
}

Int wrapped(Int value, DType dtype) {
  const uint64_t bits = value.low_bits();
  switch (dtype) {
    case DType::int8:
      return static_cast<int8_t>(bits);
    case DType::int16:
      return static_cast<int16_t>(bits);
    case DType::int32:
      return static_cast<int32_t>(bits);
    case DType::int64:
      return static_cast<int64_t>(bits);
    case DType::uint8:
      return static_cast<uint8_t>(bits);
    case DType::uint16:
      return static_cast<uint16_t>(bits);
    case DType::uint32:
      return static_cast<uint32_t>(bits);
    default:
      return bits;
  }
}

[[noreturn]] void no_bits(const Scalar& value, DType dtype) {
  throw GraphError("cannot take the bits of " + value.str() + " as " + std::string(dtype_name(dtype)));
}

uint16_t half_bits(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7e00;
  const double magnitude = std::fabs(float_to_fp16(value));
  if (std::isinf(magnitude)) return sign | 0x7c00;
  if (magnitude == 0.0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), -14);
  return sign | static_cast<uint16_t>(((exponent + 14) << 10) + static_cast<int>(std::ldexp(magnitude, 10 - exponent)));
}

double half_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  double r;
  if (exponent == 0x1f) {
    r = (mantissa != 0) ? kNan : kInf;  // NOLINT(bugprone-narrowing-conversions): a false alarm
  } else {
    r = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
  }
  return bits & 0x8000 ? -r : r;
}

uint64_t bits_of(const Scalar& value, DType dtype) {
  if (is_bool(dtype)) return value.truthy();
  if (is_int(dtype)) {
    if (!value.is_integral() || wrapped(value.as_int(), dtype) != value.as_int()) no_bits(value, dtype);
    return value.as_int().low_bits();
  }
  return float_bits(value.as_double(), dtype);
}

Scalar from_bits(uint64_t bits, DType dtype) {
  if (is_bool(dtype)) return (bits & 0xff) != 0;
  if (is_int(dtype)) return wrapped(Int(bits), dtype);
  return float_from_bits(bits, dtype);
}

}  // namespace

uint64_t float_bits(double value, DType dtype) {
  switch (dtype) {
    case DType::float16:
      return half_bits(value);
    case DType::bfloat16:
      return std::bit_cast<uint32_t>(static_cast<float>(float_to_bf16(value))) >> 16;
    case DType::float32:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    case DType::float64:
      return std::bit_cast<uint64_t>(value);
    default:
      return float_to_fp8(value, dtype);
  }
}

double float_from_bits(uint64_t bits, DType dtype) {
  switch (dtype) {
    case DType::float16:
      return half_value(static_cast<uint16_t>(bits));
    case DType::bfloat16:
      return std::bit_cast<float>(static_cast<uint32_t>(bits << 16));
    case DType::float32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case DType::float64:
      return std::bit_cast<double>(bits);
    default:
      return fp8_to_float(static_cast<uint8_t>(bits), dtype);
  }
}

double float_to_fp16(double value) {
  if (std::isnan(value)) return std::copysign(kNan, value);
  const double r = round_to(value, 10, -14);
  return std::fabs(r) > 65504.0 ? std::copysign(kInf, value) : r;
}

double float_to_bf16(double value) {
  if (!std::isfinite(value)) return value;
  auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));  // through float32, so rounded twice
  bits = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000;
  return std::bit_cast<float>(bits);
}

uint8_t float_to_fp8(double value, DType fp8) {
  const Fp8 format = fp8_format(fp8);
  const uint8_t sign = std::signbit(value) ? 0x80 : 0;
  if (!std::isfinite(value)) {
    if (format.fnuz) return 0x80;
    return sign | (std::isinf(value) && fp8 == DType::fp8e5m2 ? 0x7c : 0x7f);
  }
  const int least = 1 - format.bias;
  const double magnitude = std::fabs(value);
  int code = 0;
  if (magnitude >= std::ldexp(1.0, 32)) {
    code = format.largest;
  } else if (magnitude != 0.0) {
    // The units of the last place include the implicit bit, which carries into the exponent's field by itself.
    const int exponent = std::max(std::ilogb(magnitude), least);
    const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa - exponent));
    code = std::min<int>(((exponent - least) << format.mantissa) + static_cast<int>(units), format.largest);
  }
  return format.fnuz && code == 0 ? 0 : static_cast<uint8_t>(code | sign);
}

double fp8_to_float(uint8_t bits, DType fp8) {
  const Fp8 format = fp8_format(fp8);
  if (format.fnuz && bits == 0x80) return kNan;
  const int code = bits & 0x7f;
  const double sign = bits & 0x80 ? -1.0 : 1.0;
  if (!format.fnuz && code > format.largest) {
    if (fp8 == DType::fp8e5m2)
      return sign * (code == 0x7c ? kInf : kNan);  // NOLINT(bugprone-narrowing-conversions): a false alarm
    return kNan;
  }
  const int field = code >> format.mantissa;
  const int one = 1 << format.mantissa;
  const int fraction = code & (one - 1);
  const double units = field == 0 ? fraction : fraction + one;
  return sign * std::ldexp(units, std::max(field, 1) - format.bias - format.mantissa);
}

Scalar truncate(DType dtype, const Scalar& value) {
  switch (dtype) {
    case DType::void_:
    case DType::weakint:
    case DType::weakfloat:
      return value;
    case DType::bool_:
      return value.truthy();
    case DType::float64:
      return value.as_double();
    case DType::float32:
      return double{static_cast<float>(value.as_double())};
    case DType::float16:
      return float_to_fp16(value.as_double());
    case DType::bfloat16:
      return float_to_bf16(value.as_double());
    case DType::fp8e4m3:
    case DType::fp8e5m2:
    case DType::fp8e4m3fnuz:
    case DType::fp8e5m2fnuz:
      return fp8_to_float(float_to_fp8(value.as_double(), dtype), dtype);
    default:
      return wrapped(value.as_int(), dtype);
  }
}

Scalar bitcast(const Scalar& value, DType from, DType to) {
  if (itemsize(from) != itemsize(to) || itemsize(from) > 8 || itemsize(from) == 0) {
    throw GraphError("cannot bitcast a constant from " + std::string(dtype_name(from)) + " to " +
                     std::string(dtype_name(to)) + ": the sizes must be equal, and weak dtypes have no bits");
  }
  return from_bits(bits_of(value, from), to);
}

}  // namespace rangescope
