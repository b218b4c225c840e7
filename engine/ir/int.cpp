#include "engine/ir/int.h"

#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <deque>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "engine/ir/error.h"

namespace rangescope {

using boost::multiprecision::cpp_int;

namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

constexpr uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

size_t hash_of(const cpp_int& value) {
  uint64_t h = value.sign() < 0 ? 0x9e3779b97f4a7c15u : 0;
  for (unsigned i = 0; i < value.backend().size(); ++i) h = mix(h ^ value.backend().limbs()[i]) + i;
  return h;
}

[[noreturn]] void too_large() {
  throw GraphError("integer too large: the result needs more than " + std::to_string(Int::kMaxBits) +
                   " bits; use smaller constants or sizes in the graph");
}

[[noreturn]] void divided_by_zero() {
  throw GraphError("integer division by zero in the graph's index arithmetic");
}

cpp_int shifted_right(const cpp_int& value, unsigned n) {  // rounds down, as two's complement does
  return value.sign() < 0 ? cpp_int(-(((-value) - 1) >> n) - 1) : cpp_int(value >> n);
}

}  // namespace

namespace detail {

struct BigInt {
  cpp_int value;
  size_t hash;

  struct Hash {
    size_t operator()(const BigInt* b) const { return b->hash; }
  };
  struct Equal {
    bool operator()(const BigInt* a, const BigInt* b) const { return a->value == b->value; }
  };

  static cpp_int of(Int a) { return a.is_small() ? cpp_int(a.small_) : a.big_->value; }

  static Int make(cpp_int value) {
    if (value >= kMin && value <= kMax) return value.convert_to<int64_t>();
    if (boost::multiprecision::msb(value.sign() < 0 ? cpp_int(-value) : value) >= unsigned{Int::kMaxBits}) too_large();
    Int r;
    r.big_ = intern(std::move(value));
    return r;
  }

 private:
  // Lives as long as the process: constants outlive every store, static ones included.
  struct Pool {
    std::mutex mutex;
    std::deque<BigInt> storage;
    std::unordered_set<const BigInt*, Hash, Equal> index;
  };

  static const BigInt* intern(cpp_int value) {
    static Pool& pool = *new Pool;
    BigInt key{std::move(value), 0};
    key.hash = hash_of(key.value);
    const std::lock_guard lock(pool.mutex);
    if (auto it = pool.index.find(&key); it != pool.index.end()) return *it;
    const BigInt* kept = &pool.storage.emplace_back(std::move(key));
    pool.index.insert(kept);
    return kept;
  }
};

}  // namespace detail

using detail::BigInt;

Int Int::pow2(int64_t exponent) {
  return Int(1) << Int(exponent);
}

Int Int::from_uint64(uint64_t value) {
  return BigInt::make(cpp_int(value));
}

Int Int::from_double(double value) {
  if (std::isnan(value)) throw GraphError("cannot convert float nan to an integer");
  if (std::isinf(value)) throw GraphError("cannot convert float infinity to an integer");
  if (value >= -0x1p63 && value < 0x1p63) return static_cast<int64_t>(value);
  int exponent;
  const auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  return Int(mantissa) << Int(exponent - 53);
}

std::optional<Int> Int::from_string(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || digits.size() > kMaxBits || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return {};
  cpp_int value = 0;
  for (size_t i = 0; i < digits.size();) {  // 18 digits at a time
    int64_t chunk = 0;
    int64_t scale = 1;
    for (const size_t end = std::min(i + 18, digits.size()); i < end; ++i, scale *= 10) {
      chunk = chunk * 10 + (digits[i] - '0');
    }
    value = value * scale + chunk;
  }
  if (value != 0 && boost::multiprecision::msb(value) >= unsigned{kMaxBits}) return {};
  return BigInt::make(negative ? cpp_int(-value) : value);
}

double Int::to_double() const {
  if (is_small()) return static_cast<double>(small_);
  const cpp_int magnitude = boost::multiprecision::abs(big_->value);
  // Rounding the top 64 bits once is exact as long as the lowest of them says whether anything was cut off.
  const int cut = bit_length() - 64;
  cpp_int top = cut > 0 ? cpp_int(magnitude >> cut) : magnitude;
  if (cut > 0 && static_cast<int>(boost::multiprecision::lsb(magnitude)) < cut) top |= 1;
  const double r = std::ldexp(static_cast<double>(top.convert_to<uint64_t>()), std::max(cut, 0));
  if (std::isinf(r)) throw GraphError("integer too large to convert to a float: " + to_string());
  return big_sign() < 0 ? -r : r;
}

std::string Int::to_string() const {
  return is_small() ? std::to_string(small_) : big_->value.str();
}

uint64_t Int::low_bits() const {
  if (is_small()) return static_cast<uint64_t>(small_);
  const auto magnitude =
      (boost::multiprecision::abs(big_->value) & cpp_int(std::numeric_limits<uint64_t>::max())).convert_to<uint64_t>();
  return big_sign() < 0 ? uint64_t{0} - magnitude : magnitude;
}

int Int::bit_length() const {
  if (is_small())
    return 64 - std::countl_zero(small_ < 0 ? uint64_t{0} - static_cast<uint64_t>(small_) : uint64_t(small_));
  return static_cast<int>(boost::multiprecision::msb(boost::multiprecision::abs(big_->value))) + 1;
}

size_t Int::hash() const {
  return is_small() ? mix(static_cast<uint64_t>(small_) + 0x9e3779b97f4a7c15u) : big_->hash;
}

int Int::big_sign() const {
  return big_->value.sign();
}

std::strong_ordering Int::compare_slow(Int a, Int b) {
  return BigInt::of(a).compare(BigInt::of(b)) <=> 0;
}

Int Int::add_slow(Int a, Int b) {
  return BigInt::make(BigInt::of(a) + BigInt::of(b));
}
Int Int::sub_slow(Int a, Int b) {
  return BigInt::make(BigInt::of(a) - BigInt::of(b));
}
Int Int::mul_slow(Int a, Int b) {
  return BigInt::make(BigInt::of(a) * BigInt::of(b));
}

Int Int::shl_slow(Int a, Int n) {
  if (n.sign() < 0) throw GraphError("negative shift count " + n.to_string() + " in a constant expression");
  if (a.is_zero()) return a;
  if (n > Int(kMaxBits)) too_large();
  return BigInt::make(BigInt::of(a) << static_cast<unsigned>(n.small_));
}

Int Int::shr_slow(Int a, Int n) {
  if (n.sign() < 0) throw GraphError("negative shift count " + n.to_string() + " in a constant expression");
  if (n > Int(kMaxBits)) return a.sign() < 0 ? -1 : 0;
  return BigInt::make(shifted_right(BigInt::of(a), static_cast<unsigned>(n.small_)));
}

Int Int::and_slow(Int a, Int b) {
  return BigInt::make(BigInt::of(a) & BigInt::of(b));
}
Int Int::or_slow(Int a, Int b) {
  return BigInt::make(BigInt::of(a) | BigInt::of(b));
}
Int Int::xor_slow(Int a, Int b) {
  return BigInt::make(BigInt::of(a) ^ BigInt::of(b));
}

Int Int::floordiv_slow(Int a, Int b) {
  if (b.is_zero()) divided_by_zero();
  if (b == Int(-1)) return -a;
  const cpp_int x = BigInt::of(a);
  const cpp_int y = BigInt::of(b);
  cpp_int q;
  cpp_int r;
  boost::multiprecision::divide_qr(x, y, q, r);
  if (r != 0 && (r < 0) != (y < 0)) --q;
  return BigInt::make(std::move(q));
}

Int Int::floormod_slow(Int a, Int b) {
  if (b.is_zero()) divided_by_zero();
  if (b == Int(-1)) return 0;
  const cpp_int y = BigInt::of(b);
  cpp_int r = BigInt::of(a) % y;
  if (r != 0 && (r < 0) != (y < 0)) r += y;
  return BigInt::make(std::move(r));
}

Int Int::cdiv_slow(Int a, Int b) {
  if (b.is_zero()) return 0;
  if (b == Int(-1)) return -a;
  return BigInt::make(BigInt::of(a) / BigInt::of(b));
}

Int Int::cmod_slow(Int a, Int b) {
  if (b.is_zero()) return a;
  if (b == Int(-1)) return 0;
  return BigInt::make(BigInt::of(a) % BigInt::of(b));
}

Int gcd(Int a, Int b) {
  a = abs(a), b = abs(b);
  while (!b.is_zero()) a = std::exchange(b, cmod(a, b));
  return a;
}

Int pow(Int base, Int exponent) {
  if (exponent.sign() < 0) throw GraphError("negative exponent " + exponent.to_string() + " of an integer power");
  if (exponent.is_zero()) return 1;
  if (abs(base) <= Int(1)) return base.sign() < 0 && (exponent & Int(1)).is_zero() ? -base : base;
  if (exponent > Int(Int::kMaxBits)) too_large();
  Int r = 1;
  for (int64_t left = *exponent.to_int64();;) {
    if (left & 1) r *= base;
    if ((left >>= 1) == 0) return r;
    base *= base;
  }
}

std::partial_ordering compare(Int a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (std::isinf(b)) return b > 0 ? std::partial_ordering::less : std::partial_ordering::greater;
  const Int whole = Int::from_double(b);
  if (a != whole) return a <=> whole;
  return 0.0 <=> b - std::trunc(b);
}

double reciprocal(Int value) {
  RS_CHECK(!value.is_zero(), "the reciprocal of zero is the caller's case");
  const int bits = value.bit_length();
  if (bits <= 53) return 1.0 / value.to_double();
  // The quotient scaled by 2**scale to at least 64 bits or, where the result is subnormal, down to its last place.
  // Its lowest bit stands for all that was cut off, so that it is rounded once.
  const bool subnormal = bits >= 1022;
  const int scale = subnormal ? 1074 : bits + 64;
  const cpp_int magnitude = BigInt::of(abs(value));
  cpp_int q;
  cpp_int r;
  boost::multiprecision::divide_qr(cpp_int(cpp_int(1) << scale), magnitude, q, r);
  if (subnormal) {
    const cpp_int twice = r * 2;
    if (twice > magnitude || (twice == magnitude && (q & 1) != 0)) ++q;
  } else if (r != 0) {
    q = (q << 1) | 1;
  } else {
    q <<= 1;
  }
  const double r2 = std::ldexp(BigInt::make(q).to_double(), subnormal ? -scale : -scale - 1);
  return value.sign() < 0 ? -r2 : r2;
}

}  // namespace rangescope
