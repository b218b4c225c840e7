#include "engine/ir/scalar.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "engine/ir/error.h"
#include "engine/ir/scalar_bits.h"

namespace rangescope {

bool Scalar::is_nan() const {
  return is_float() && std::isnan(std::bit_cast<double>(bits_));
}

bool Scalar::truthy() const {
  if (is_float()) return std::bit_cast<double>(bits_) != 0.0;  // -0.0 is false, nan is true
  return is_invalid() || bits_ != 0 || big_ != nullptr;
}

void Scalar::refuse_as_int() const {
  throw GraphError("an integer was expected, not " +
                   (is_float() ? python_repr(std::bit_cast<double>(bits_)) : "the invalid value"));
}

double Scalar::as_double() const {
  if (is_float()) return std::bit_cast<double>(bits_);
  if (is_invalid()) throw GraphError("a number was expected, not the invalid value");
  return as_int().to_double();
}

rangescope::Int Scalar::to_int() const {
  return is_float() ? rangescope::Int::from_double(as_double()) : as_int();
}

std::string Scalar::str() const {
  switch (kind_) {
    case Kind::Invalid:
      return "Invalid";
    case Kind::Bool:
      return bits_ != 0 ? "True" : "False";
    case Kind::Int:
      return as_int().to_string();
    case Kind::Float:
      break;
  }
  return python_repr(as_double());
}

size_t Scalar::hash() const {
  const size_t h = big_ != nullptr ? as_int().hash() : rangescope::Int(bits_).hash();
  return h + static_cast<size_t>(kind_) * 0x9e3779b97f4a7c15u;
}

bool python_equal_slow(const Scalar& a, const Scalar& b) {
  if (a.is_invalid() || b.is_invalid()) return a.is_invalid() && b.is_invalid();
  if (a.is_integral() && b.is_integral()) return a.as_int() == b.as_int();
  if (a.is_float() && b.is_float()) {
    const double x = a.as_double();
    const double y = b.as_double();
    return x == y || (std::isnan(x) && std::isnan(y));
  }
  return a.is_float() ? std::is_eq(compare(b.as_int(), a.as_double())) : std::is_eq(compare(a.as_int(), b.as_double()));
}

bool python_less(const Scalar& a, const Scalar& b) {
  if (a.is_invalid() || b.is_invalid())
    throw GraphError("the invalid value has no order: " + a.str() + " < " + b.str());
  if (a.is_integral() && b.is_integral()) return a.as_int() < b.as_int();
  if (a.is_float() && b.is_float()) return a.as_double() < b.as_double();
  return a.is_float() ? std::is_gt(compare(b.as_int(), a.as_double())) : std::is_lt(compare(a.as_int(), b.as_double()));
}

std::string python_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[32];
  const char* end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  // Taken apart into sign, digits and the power of ten of the first digit.
  const char* p = text;
  std::string r;
  if (*p == '-') r += *p++;
  std::string digits;
  for (; *p != 'e'; ++p) {
    if (*p != '.') digits += *p;
  }
  int exponent = 0;
  p += p[1] == '+' ? 2 : 1;
  std::from_chars(p, end, exponent);

  if (exponent < -4 || exponent >= 16) {  // Python writes these with an exponent of at least two digits
    r += digits[0];
    if (digits.size() > 1) r.append(".").append(digits, 1);
    const std::string power = std::to_string(std::abs(exponent));
    return r + (exponent < 0 ? "e-" : "e+") + (power.size() < 2 ? "0" : "") + power;
  }
  if (exponent < 0) return r + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return r + digits + std::string(whole - digits.size(), '0') + ".0";
  return r + digits.substr(0, whole) + "." + digits.substr(whole);
}

Scalar dtype_const(DType dtype, const Scalar& value) {
  if (value.is_invalid()) return value;
  if (is_float(dtype)) {
    const double x = value.is_nan() ? std::numeric_limits<double>::quiet_NaN() : value.as_double();
    return truncate(dtype, Scalar(x));
  }
  if (is_bool(dtype)) return value.truthy();
  return value.to_int();
}

Scalar dtype_min(DType dtype) {
  if (is_int(dtype)) return is_unsigned(dtype) ? Int(0) : -Int::pow2(bitsize(dtype) - 1);
  if (is_float(dtype)) return -std::numeric_limits<double>::infinity();
  return false;
}

Scalar dtype_max(DType dtype) {
  if (is_int(dtype)) return Int::pow2(bitsize(dtype)) - Int(1) + dtype_min(dtype).as_int();
  if (is_float(dtype)) return std::numeric_limits<double>::infinity();
  return true;
}

}  // namespace rangescope
