#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace rangescope {

namespace detail {
struct BigInt;
}

// An integer of Python's kind: exact and unbounded, up to kMaxBits. 16 bytes and trivially copyable: a value that fits
// int64 is held in place, any other points into a process-wide, append-only pool where equal values are one object. So
// equality compares two words, and copies cost nothing. Results beyond kMaxBits throw GraphError.
class Int {
 public:
  static constexpr int kMaxBits = 8192;

  constexpr Int() = default;
  template <std::integral T>
  requires(!std::same_as<T, bool>) constexpr Int(
      T value) {  // NOLINT(google-explicit-constructor): integers convert freely, as in the graphs
    if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(int64_t)) {
      if (value > static_cast<T>(std::numeric_limits<int64_t>::max())) {
        *this = from_uint64(value);
        return;
      }
    }
    small_ = static_cast<int64_t>(value);  // NOLINT(bugprone-signed-char-misuse): a char is a number here
  }

  static Int pow2(int64_t exponent);  // 2**exponent; exponent >= 0
  static Int from_uint64(uint64_t value);
  static Int from_double(double value);  // int(value): rounds towards zero, throws GraphError for nan and infinity
  // Decimal digits after an optional minus. Nothing for any other text or beyond kMaxBits.
  static std::optional<Int> from_string(std::string_view text);

  constexpr bool is_small() const { return big_ == nullptr; }
  constexpr std::optional<int64_t> to_int64() const { return is_small() ? std::optional(small_) : std::nullopt; }
  double to_double() const;  // float(value), correctly rounded; throws GraphError where Python overflows
  std::string to_string() const;
  uint64_t low_bits() const;  // the lowest 64 bits in two's complement

  constexpr int sign() const { return is_small() ? (small_ > 0) - (small_ < 0) : big_sign(); }
  constexpr bool is_zero() const { return is_small() && small_ == 0; }
  constexpr explicit operator bool() const { return !is_zero(); }
  int bit_length() const;  // of the absolute value, as Python's int.bit_length()
  size_t hash() const;

  friend constexpr bool operator==(Int, Int) = default;
  friend constexpr std::strong_ordering operator<=>(Int a, Int b) {
    return both_small(a, b) ? a.small_ <=> b.small_ : compare_slow(a, b);
  }

  friend Int operator+(Int a, Int b) {
    int64_t r;
    return both_small(a, b) && !__builtin_add_overflow(a.small_, b.small_, &r) ? Int(r) : add_slow(a, b);
  }
  friend Int operator-(Int a, Int b) {
    int64_t r;
    return both_small(a, b) && !__builtin_sub_overflow(a.small_, b.small_, &r) ? Int(r) : sub_slow(a, b);
  }
  friend Int operator*(Int a, Int b) {
    int64_t r;
    return both_small(a, b) && !__builtin_mul_overflow(a.small_, b.small_, &r) ? Int(r) : mul_slow(a, b);
  }
  Int operator-() const { return Int() - *this; }
  Int operator~() const { return Int(-1) - *this; }
  Int& operator+=(Int b) { return *this = *this + b; }
  Int& operator-=(Int b) { return *this = *this - b; }
  Int& operator*=(Int b) { return *this = *this * b; }

  // On two's complement of unbounded width. A negative count throws GraphError.
  friend Int operator<<(Int a, Int n) {
    if (both_small(a, n) && n.small_ >= 0 && n.small_ < 63) {
      const auto r = static_cast<int64_t>(static_cast<uint64_t>(a.small_) << n.small_);
      if (r >> n.small_ == a.small_) return r;
    }
    return shl_slow(a, n);
  }
  friend Int operator>>(Int a, Int n) {
    return both_small(a, n) && n.small_ >= 0 ? Int(a.small_ >> (n.small_ < 63 ? n.small_ : 63)) : shr_slow(a, n);
  }
  friend Int operator&(Int a, Int b) { return both_small(a, b) ? Int(a.small_ & b.small_) : and_slow(a, b); }
  friend Int operator|(Int a, Int b) { return both_small(a, b) ? Int(a.small_ | b.small_) : or_slow(a, b); }
  friend Int operator^(Int a, Int b) { return both_small(a, b) ? Int(a.small_ ^ b.small_) : xor_slow(a, b); }

  // Python's a // b and a % b, rounding down; b == 0 throws GraphError.
  friend Int floordiv(Int a, Int b) {
    if (!divides_in_place(a, b)) return floordiv_slow(a, b);
    const int64_t q = a.small_ / b.small_;
    return q - (a.small_ % b.small_ != 0 && (a.small_ < 0) != (b.small_ < 0) ? 1 : 0);
  }
  friend Int floormod(Int a, Int b) {
    if (!divides_in_place(a, b)) return floormod_slow(a, b);
    const int64_t r = a.small_ % b.small_;
    return r != 0 && (r < 0) != (b.small_ < 0) ? r + b.small_ : r;
  }
  // C's a / b and a % b, rounding towards zero. By the reference's convention cdiv(a, 0) is 0 and cmod(a, 0) is a.
  friend Int cdiv(Int a, Int b) { return divides_in_place(a, b) ? Int(a.small_ / b.small_) : cdiv_slow(a, b); }
  friend Int cmod(Int a, Int b) { return divides_in_place(a, b) ? Int(a.small_ % b.small_) : cmod_slow(a, b); }

  friend Int abs(Int a) { return a.sign() < 0 ? -a : a; }
  friend Int gcd(Int a, Int b);            // never negative; gcd(0, 0) is 0
  friend Int pow(Int base, Int exponent);  // exponent >= 0
  friend constexpr Int min(Int a, Int b) { return b < a ? b : a; }
  friend constexpr Int max(Int a, Int b) { return b > a ? b : a; }

 private:
  friend class Scalar;
  friend struct detail::BigInt;

  static constexpr bool both_small(Int a, Int b) { return a.big_ == nullptr && b.big_ == nullptr; }
  static constexpr bool divides_in_place(Int a, Int b) {  // INT64_MIN / -1 does not fit
    return both_small(a, b) && b.small_ != 0 && b.small_ != -1;
  }
  int big_sign() const;
  static std::strong_ordering compare_slow(Int a, Int b);
  static Int add_slow(Int a, Int b);
  static Int sub_slow(Int a, Int b);
  static Int mul_slow(Int a, Int b);
  static Int shl_slow(Int a, Int n);
  static Int shr_slow(Int a, Int n);
  static Int and_slow(Int a, Int b);
  static Int or_slow(Int a, Int b);
  static Int xor_slow(Int a, Int b);
  static Int floordiv_slow(Int a, Int b);
  static Int floormod_slow(Int a, Int b);
  static Int cdiv_slow(Int a, Int b);
  static Int cmod_slow(Int a, Int b);

  int64_t small_ = 0;                    // 0 where big_ is set
  const detail::BigInt* big_ = nullptr;  // set only for values that do not fit int64
};

static_assert(sizeof(Int) == 16 && std::is_trivially_copyable_v<Int>);

Int gcd(Int a, Int b);
Int pow(Int base, Int exponent);

// Exact comparison of an integer and a float, as Python compares them; unordered for nan.
std::partial_ordering compare(Int a, double b);
// 1 / value, correctly rounded from the exact quotient as Python's int / int; value != 0.
double reciprocal(Int value);

}  // namespace rangescope

template <>
struct std::hash<rangescope::Int> {
  size_t operator()(rangescope::Int value) const { return value.hash(); }
};
