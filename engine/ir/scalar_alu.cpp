#include "engine/ir/scalar_alu.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "engine/ir/error.h"

namespace rangescope {

namespace {

// ---- Python's operators on constants; a bool counts as an int ----

[[noreturn]] void unsupported(std::string_view what, const Scalar& a, const Scalar& b) {
  throw GraphError("cannot compute " + std::string(what) + " of the constants " + a.str() + " and " + b.str());
}

template <class OnInts, class OnFloats>
Scalar arithmetic(const Scalar& a, const Scalar& b, OnInts on_ints, OnFloats on_floats) {
  if (a.is_integral() && b.is_integral()) return on_ints(a.as_int(), b.as_int());
  return on_floats(a.as_double(), b.as_double());
}

Scalar add(const Scalar& a, const Scalar& b) {
  return arithmetic(
      a, b, [](Int x, Int y) { return x + y; }, [](double x, double y) { return x + y; });
}
Scalar subtract(const Scalar& a, const Scalar& b) {
  return arithmetic(
      a, b, [](Int x, Int y) { return x - y; }, [](double x, double y) { return x - y; });
}
Scalar multiply(const Scalar& a, const Scalar& b) {
  return arithmetic(
      a, b, [](Int x, Int y) { return x * y; }, [](double x, double y) { return x * y; });
}

Scalar negate(const Scalar& a) {
  return a.is_float() ? Scalar(-a.as_double()) : Scalar(-a.as_int());
}
Scalar magnitude(const Scalar& a) {
  return a.is_float() ? Scalar(std::fabs(a.as_double())) : Scalar(abs(a.as_int()));
}

double float_floordiv(double x, double y) {
  const double remainder = std::fmod(x, y);
  double quotient = (x - remainder) / y;
  if (remainder != 0.0 && (y < 0.0) != (remainder < 0.0)) quotient -= 1.0;
  if (quotient == 0.0) return std::copysign(0.0, x / y);
  const double down = std::floor(quotient);
  return quotient - down > 0.5 ? down + 1.0 : down;
}

bool is_zero(const Scalar& a) {
  return python_equal(a, 0);
}

// A division by zero gives 0, as the reference has it, so that the remainder is the dividend.
Scalar floor_divide(const Scalar& a, const Scalar& b) {
  if (is_zero(b)) return 0;
  return arithmetic(
      a, b, [](Int x, Int y) { return floordiv(x, y); }, float_floordiv);
}

Scalar c_divide(const Scalar& a, const Scalar& b) {
  if (is_zero(b)) return 0;
  if (a.is_integral() && b.is_integral()) return cdiv(a.as_int(), b.as_int());
  const bool negative = python_less(multiply(a, b), 0);
  return multiply(floor_divide(magnitude(a), magnitude(b)), negative ? -1 : 1);
}

template <class OnInts>
Scalar bitwise(std::string_view what, const Scalar& a, const Scalar& b, OnInts on_ints) {
  if (!a.is_integral() || !b.is_integral()) unsupported(what, a, b);
  const Int r = on_ints(a.as_int(), b.as_int());
  return a.is_bool() && b.is_bool() ? Scalar(bool(r)) : Scalar(r);
}

template <class OnInts>
Scalar shift(std::string_view what, const Scalar& a, const Scalar& b, OnInts on_ints) {
  if (!a.is_integral() || !b.is_integral()) unsupported(what, a, b);
  return on_ints(a.as_int(), b.as_int());
}

// ---- Functions ----

Scalar exp2_of(const Scalar& a) {
  if (a.is_float()) return std::pow(2.0, a.as_double());
  const Int exponent = a.as_int();
  if (exponent.sign() >= 0) return pow(Int(2), exponent);
  // Beyond a double's range Python fails to convert the exponent, which the reference takes for an overflow.
  return exponent.bit_length() > 1023 && std::is_lt(compare(exponent, -std::numeric_limits<double>::max()))
             ? kInf
             : std::pow(2.0, exponent.to_double());
}

Scalar log2_of(const Scalar& a) {
  if (python_equal(a, 0)) return -kInf;
  if (a.is_nan() || python_less(a, 0)) return kNan;
  if (a.is_integral() && a.as_int().bit_length() > 1000) {  // may not fit a double
    const Int x = a.as_int();
    const int cut = x.bit_length() - 64;
    const bool inexact = bool(x & (Int::pow2(cut) - Int(1)));
    const Int top = (x >> Int(cut)) | Int(inexact ? 1 : 0);
    if (std::is_gt(compare(x, std::numeric_limits<double>::max()))) {
      return std::log2(std::ldexp(top.to_double(), -64)) + (cut + 64);
    }
  }
  return std::log2(a.as_double());
}

Scalar reciprocal_of(const Scalar& a) {
  if (is_zero(a)) return std::copysign(kInf, a.as_double());
  return a.is_float() ? 1.0 / a.as_double() : reciprocal(a.as_int());
}

Scalar truncated(const Scalar& a) {
  return std::isfinite(a.as_double()) ? Scalar(a.to_int()) : a;
}

double float_power(double x, double y) {
  if (x == 0.0 && y < 0.0 && std::isfinite(y)) return kInf;  // Python divides by zero
  const bool finite = std::isfinite(x) && std::isfinite(y);
  if (finite && x < 0.0 && y != std::floor(y)) {  // complex in Python
    const double length = std::pow(-x, y);
    const double phase = std::numbers::pi * y;
    if (std::isinf(length * std::cos(phase)) || std::isinf(length * std::sin(phase))) {
      throw GraphError("overflow in a power of constants: " + python_repr(x) + " to the power " + python_repr(y));
    }
    return kNan;
  }
  const double r = std::pow(x, y);
  if (finite && std::isinf(r)) {
    throw GraphError("overflow in a power of constants: " + python_repr(x) + " to the power " + python_repr(y));
  }
  return r;
}

Scalar power(const Scalar& a, const Scalar& b) {
  if (a.is_integral() && b.is_integral() && b.as_int().sign() >= 0) return pow(a.as_int(), b.as_int());
  return float_power(a.as_double(), b.as_double());
}

Scalar evaluate(Op op, std::span<const Scalar> v) {
  switch (op) {
    case Op::EXP2:
      return exp2_of(v[0]);
    case Op::LOG2:
      return log2_of(v[0]);
    case Op::SIN:
      return std::isinf(v[0].as_double()) ? kNan : std::sin(v[0].as_double());
    case Op::SQRT:
      return v[0].is_nan() || python_less(v[0], 0) ? kNan : std::sqrt(v[0].as_double());
    case Op::RECIPROCAL:
      return reciprocal_of(v[0]);
    case Op::NEG:
      return negate(v[0]);
    case Op::TRUNC:
      return truncated(v[0]);
    case Op::ADD:
      return add(v[0], v[1]);
    case Op::SUB:
      return subtract(v[0], v[1]);
    case Op::MUL:
      return multiply(v[0], v[1]);
    case Op::MAX:
      return python_less(v[0], v[1]) ? v[1] : v[0];
    case Op::CDIV:
      return c_divide(v[0], v[1]);
    case Op::CMOD:
      return subtract(v[0], multiply(c_divide(v[0], v[1]), v[1]));
    case Op::FLOORDIV:
      return floor_divide(v[0], v[1]);
    case Op::FLOORMOD:
      return subtract(v[0], multiply(floor_divide(v[0], v[1]), v[1]));
    case Op::POW:
      return power(v[0], v[1]);
    case Op::CMPLT:
      return python_less(v[0], v[1]);
    case Op::CMPNE:
      return !python_equal(v[0], v[1]);
    case Op::CMPEQ:
      return python_equal(v[0], v[1]);
    case Op::AND:
      return bitwise("the bitwise AND", v[0], v[1], [](Int x, Int y) { return x & y; });
    case Op::OR:
      return bitwise("the bitwise OR", v[0], v[1], [](Int x, Int y) { return x | y; });
    case Op::XOR:
      return bitwise("the bitwise XOR", v[0], v[1], [](Int x, Int y) { return x ^ y; });
    case Op::SHL:
      return shift("the left shift", v[0], v[1], [](Int x, Int n) { return x << n; });
    case Op::SHR:
      return shift("the right shift", v[0], v[1], [](Int x, Int n) { return x >> n; });
    case Op::WHERE:
      return v[0].truthy() ? v[1] : v[2];
    case Op::MULACC:
      return add(multiply(v[0], v[1]), v[2]);
    default:
      throw GraphError("the op " + std::string(op_name(op)) + " cannot be computed on constants");
  }
}

}  // namespace

Scalar exec_alu(Op op, DType dtype, std::span<const Scalar> operands, bool truncate_output) {
  const size_t wanted = groups::Unary.contains(op) ? 1 : groups::Binary.contains(op) ? 2 : 3;
  if (groups::ALU.contains(op) && operands.size() != wanted) {
    throw GraphError(std::string(op_name(op)) + " takes " + std::to_string(wanted) + " operands, not " +
                     std::to_string(operands.size()));
  }
  if (wanted == 2 && (operands[0].is_invalid() || operands[1].is_invalid())) return Scalar::invalid();
  const Scalar r = evaluate(op, operands);
  return truncate_output ? truncate(dtype, r) : r;
}

Scalar identity_element(Op op, DType dtype) {
  switch (op) {
    case Op::ADD:
      return dtype_const(dtype, 0);
    case Op::MUL:
      return dtype_const(dtype, 1);
    case Op::MAX:
      return dtype_const(dtype, dtype_min(dtype));
    default:
      throw GraphError("the op " + std::string(op_name(op)) + " has no identity element to reduce from");
  }
}

}  // namespace rangescope
