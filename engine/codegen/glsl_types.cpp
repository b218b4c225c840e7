#include "engine/codegen/glsl_types.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "engine/ir/error.h"
#include "engine/ir/scalar_bits.h"

namespace rangescope::codegen {

namespace {

[[noreturn]] void no_such_type(DType dtype) {
  throw GraphError(fmt::format("GLSL has no type for {}: the kernel cannot be run on this device", dtype_name(dtype)));
}

std::string with_point(const std::string& digits) {
  return digits.find_first_of(".en") == std::string::npos ? digits + ".0" : digits;
}

std::string float_literal(double v, DType dtype) {
  if (std::isfinite(v)) {
    const std::string sign = std::signbit(v) ? "-" : "",
                      magnitude = dtype == DType::float64
                                      ? with_point(fmt::format("{}", std::abs(v))) + "lf"
                                      : with_point(fmt::format("{}", static_cast<float>(std::abs(v))));
    const std::string text = sign + magnitude;
    if (dtype == DType::float16) return "float16_t(" + text + ")";
    return sign.empty() ? text : "(" + text + ")";
  }
  if (dtype == DType::float64) {
    const auto high = static_cast<uint32_t>(std::bit_cast<uint64_t>(v) >> 32);
    return fmt::format("packDouble2x32(uvec2(0u, 0x{:08x}u))", std::isnan(v) ? 0x7ff80000U : high);
  }
  const uint32_t bits = std::isnan(v) ? 0x7fc00000U : std::signbit(v) ? 0xff800000U : 0x7f800000U;
  const std::string text = fmt::format("uintBitsToFloat(0x{:08x}u)", bits);
  return dtype == DType::float16 ? "float16_t(" + text + ")" : text;
}

std::string int_literal(const Int& v, DType dtype) {
  const Int wrapped = truncate(dtype, Scalar(v)).to_int();
  const uint64_t bits = wrapped.low_bits();
  switch (dtype) {
    case DType::int32:
      if (wrapped == dtype_min(dtype).as_int()) return "int(0x80000000u)";
      return wrapped.sign() < 0 ? "(" + wrapped.to_string() + ")" : wrapped.to_string();
    case DType::uint32:
      return wrapped.to_string() + "u";
    case DType::int64:
      if (wrapped.sign() < 0) return fmt::format("int64_t(0x{:x}UL)", bits);
      return wrapped.to_string() + "L";
    case DType::uint64:
      return wrapped.to_string() + "UL";
    default:
      return glsl_type(dtype) + "(" + wrapped.to_string() + ")";
  }
}

}  // namespace

std::string glsl_type(DType dtype) {
  switch (dtype) {
    case DType::bool_:
      return "bool";
    case DType::int8:
      return "int8_t";
    case DType::uint8:
      return "uint8_t";
    case DType::int16:
      return "int16_t";
    case DType::uint16:
      return "uint16_t";
    case DType::int32:
      return "int";
    case DType::uint32:
      return "uint";
    case DType::int64:
      return "int64_t";
    case DType::uint64:
      return "uint64_t";
    case DType::float16:
      return "float16_t";
    case DType::float32:
      return "float";
    case DType::float64:
      return "double";
    default:
      no_such_type(dtype);
  }
}

std::string glsl_storage_type(DType dtype) {
  return dtype == DType::bool_ ? "uint8_t" : glsl_type(dtype);
}

std::string glsl_vector_type(DType dtype, size_t count) {
  if (count < 2 || count > 4) throw GraphError(fmt::format("GLSL has no vectors of {} elements", count));
  const auto n = std::to_string(count);
  switch (dtype) {
    case DType::bool_:
      return "bvec" + n;
    case DType::int8:
      return "i8vec" + n;
    case DType::uint8:
      return "u8vec" + n;
    case DType::int16:
      return "i16vec" + n;
    case DType::uint16:
      return "u16vec" + n;
    case DType::int32:
      return "ivec" + n;
    case DType::uint32:
      return "uvec" + n;
    case DType::int64:
      return "i64vec" + n;
    case DType::uint64:
      return "u64vec" + n;
    case DType::float16:
      return "f16vec" + n;
    case DType::float32:
      return "vec" + n;
    case DType::float64:
      return "dvec" + n;
    default:
      no_such_type(dtype);
  }
}

std::string glsl_literal(const Scalar& value, DType dtype) {
  if (value.is_invalid()) throw GraphError("an invalid value is left in the kernel");
  if (dtype == DType::bool_) return value.truthy() ? "true" : "false";
  if (is_float(dtype)) return float_literal(value.as_double(), dtype);
  return int_literal(value.to_int(), dtype);
}

std::string glsl_cast(const std::string& value, DType from, DType to) {
  if (from == to) return value;
  if (to == DType::bool_) return "(" + value + " != " + glsl_literal(Scalar(0), from) + ")";
  // GLSL has no constructor of a small type from a bool
  if (from == DType::bool_)
    return "(" + value + " ? " + glsl_literal(Scalar(1), to) + " : " + glsl_literal(Scalar(0), to) + ")";
  // a negative float has no unsigned value: go through the signed type, as processors do
  if (is_float(from) && is_unsigned(to) && bitsize(to) < 32) return glsl_type(to) + "(int(" + value + "))";
  if (is_float(from) && is_int(to) && bitsize(to) < 32) return glsl_type(to) + "(int(" + value + "))";
  return glsl_type(to) + "(" + value + ")";
}

std::string glsl_bitcast(const std::string& value, DType from, DType to) {
  if (from == to) return value;
  if (bitsize(from) != bitsize(to) || from == DType::bool_ || to == DType::bool_)
    throw GraphError(fmt::format("GLSL cannot take the bits of {} as {}", dtype_name(from), dtype_name(to)));
  if (is_int(from) && is_int(to)) return glsl_type(to) + "(" + value + ")";
  const auto call = [&](const char* f) { return f + ("(" + value + ")"); };
  switch (bitsize(from)) {
    case 16:
      if (is_float(from)) return call(is_unsigned(to) ? "float16BitsToUint16" : "float16BitsToInt16");
      return call(is_unsigned(from) ? "uint16BitsToFloat16" : "int16BitsToFloat16");
    case 32:
      if (is_float(from)) return call(is_unsigned(to) ? "floatBitsToUint" : "floatBitsToInt");
      return call(is_unsigned(from) ? "uintBitsToFloat" : "intBitsToFloat");
    case 64:
      if (is_float(from)) return call(is_unsigned(to) ? "doubleBitsToUint64" : "doubleBitsToInt64");
      return call(is_unsigned(from) ? "uint64BitsToDouble" : "int64BitsToDouble");
    default:
      no_such_type(to);
  }
}

}  // namespace rangescope::codegen
