#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

#include "engine/ir/dtype.h"
#include "engine/ir/int.h"

namespace rangescope {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A constant as Python has it: a bool, an int, a float, or the value that marks an invalid element. 24 bytes, trivially
// copyable. == and hash() are identity, kind and exact bits: True, 1 and 1.0 differ, 0.0 and -0.0 differ, a nan equals
// itself. That is the key under which constants are shared; python_equal() is what the rules compare by.
class Scalar {
 public:
  enum class Kind : uint8_t { Invalid, Bool, Int, Float };

  constexpr Scalar() = default;  // invalid
  // The argument's type decides the kind: bool, any integer or Int, any floating point type.
  constexpr Scalar(bool value) : bits_(value), kind_(Kind::Bool) {}  // NOLINT(google-explicit-constructor)
  constexpr Scalar(Int value) : bits_(value.small_), big_(value.big_), kind_(Kind::Int) {}      // NOLINT
  constexpr Scalar(double value) : bits_(std::bit_cast<int64_t>(value)), kind_(Kind::Float) {}  // NOLINT
  template <std::integral T>
  requires(!std::same_as<T, bool>) constexpr Scalar(T value)
      : Scalar(rangescope::Int(value)) {}  // NOLINT(google-explicit-constructor)
  Scalar(const void*) = delete;            // would be a bool

  static constexpr Scalar invalid() { return {}; }
  static constexpr Scalar of_bool(bool value) { return value; }
  static constexpr Scalar of_int(Int value) { return value; }
  static constexpr Scalar of_float(double value) { return value; }

  constexpr Kind kind() const { return kind_; }
  constexpr bool is_invalid() const { return kind_ == Kind::Invalid; }
  constexpr bool is_bool() const { return kind_ == Kind::Bool; }
  constexpr bool is_int() const { return kind_ == Kind::Int; }  // a bool is not an int here
  constexpr bool is_float() const { return kind_ == Kind::Float; }
  constexpr bool is_integral() const { return is_bool() || is_int(); }  // what Python's isinstance(x, int) says
  bool is_nan() const;

  // As Python's bool(x); the invalid value is true.
  bool truthy() const;
  // The exact integer of a bool or an int; GraphError for the others.
  Int as_int() const {
    if (!is_integral()) refuse_as_int();
    Int r(bits_);
    r.big_ = big_;
    return r;
  }
  // float(x) of a number: GraphError for invalid and for an int beyond a double's range.
  double as_double() const;
  // int(x) of a number: rounds a float towards zero; GraphError for nan, infinity and invalid.
  Int to_int() const;
  // As Python prints it: True, 12, 1e-05, inf, Invalid.
  std::string str() const;
  size_t hash() const;

  friend constexpr bool operator==(const Scalar&, const Scalar&) = default;

 private:
  [[noreturn]] void refuse_as_int() const;
  int64_t bits_ = 0;  // the bool, the int where it fits, or the double's bits
  const detail::BigInt* big_ = nullptr;
  Kind kind_ = Kind::Invalid;
};

static_assert(sizeof(Scalar) <= 24 && std::is_trivially_copyable_v<Scalar>);

// a == b in Python: by value across kinds (1 == 1.0 == True), ints and floats compared exactly, nan == nan as between
// the reference's float constants, invalid equal only to itself.
bool python_equal_slow(const Scalar& a, const Scalar& b);
inline bool python_equal(const Scalar& a, const Scalar& b) {
  return a.is_int() && b.is_int() ? a == b : python_equal_slow(a, b);
}
// a < b in Python. Throws GraphError where one is invalid.
bool python_less(const Scalar& a, const Scalar& b);

// repr(value): the shortest digits that read back the same.
std::string python_repr(double value);

// The constant as the dtype holds it: floats rounded to the dtype (nan made canonical), bool(x), or int(x). Ints are
// not wrapped. Invalid stays. Throws GraphError for nan or infinity as an int and for an int beyond a double as a
// float.
Scalar dtype_const(DType dtype, const Scalar& value);

// The least and greatest value: ints for integer dtypes (weakint: -2**799 and 2**799-1), infinities for floats, and
// False and True for the others.
Scalar dtype_min(DType dtype);
Scalar dtype_max(DType dtype);

// The dtype of a bare constant: bool (invalid too), weakint or weakfloat.
constexpr DType dtype_of(const Scalar& value) {
  return value.is_float() ? DType::weakfloat : value.is_int() ? DType::weakint : DType::bool_;
}

}  // namespace rangescope

template <>
struct std::hash<rangescope::Scalar> {
  size_t operator()(const rangescope::Scalar& value) const { return value.hash(); }
};
