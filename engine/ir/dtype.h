#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

namespace rangescope {

// Every dtype: enumerator, name, the C-like name that the reference sorts by, priority, bits, struct format (0: none).
#define RANGESCOPE_DTYPES(X)                                 \
  X(void_, "void", "void", -1, 0, 0)                         \
  X(weakint, "weakint", "weakint", 0, 800, 0)                \
  X(bool_, "bool", "bool", 0, 1, '?')                        \
  X(int8, "int8", "signed char", 1, 8, 'b')                  \
  X(uint8, "uint8", "unsigned char", 2, 8, 'B')              \
  X(int16, "int16", "short", 3, 16, 'h')                     \
  X(uint16, "uint16", "unsigned short", 4, 16, 'H')          \
  X(int32, "int32", "int", 5, 32, 'i')                       \
  X(uint32, "uint32", "unsigned int", 6, 32, 'I')            \
  X(int64, "int64", "long", 7, 64, 'q')                      \
  X(uint64, "uint64", "unsigned long", 8, 64, 'Q')           \
  X(weakfloat, "weakfloat", "weakfloat", 9, 800, 0)          \
  X(fp8e4m3, "fp8e4m3", "float8_e4m3", 10, 8, 0)             \
  X(fp8e5m2, "fp8e5m2", "float8_e5m2", 11, 8, 0)             \
  X(fp8e4m3fnuz, "fp8e4m3fnuz", "float8_e4m3fnuz", 10, 8, 0) \
  X(fp8e5m2fnuz, "fp8e5m2fnuz", "float8_e5m2fnuz", 11, 8, 0) \
  X(float16, "float16", "half", 12, 16, 'e')                 \
  X(bfloat16, "bfloat16", "__bf16", 13, 16, 0)               \
  X(float32, "float32", "float", 14, 32, 'f')                \
  X(float64, "float64", "double", 15, 64, 'd')

enum class DType : uint8_t {
#define X(id, name, c_name, priority, bits, fmt) id,
  RANGESCOPE_DTYPES(X)
#undef X
};

struct DTypeInfo {
  std::string_view name;
  std::string_view c_name;
  int priority;
  int bitsize;
  char fmt;
};
inline constexpr DTypeInfo kDTypes[] = {
#define X(id, name, c_name, priority, bits, fmt) {name, c_name, priority, bits, fmt},
    RANGESCOPE_DTYPES(X)
#undef X
};
inline constexpr size_t kDTypeCount = std::size(kDTypes);

constexpr const DTypeInfo& info(DType dtype) {
  return kDTypes[static_cast<size_t>(dtype)];
}
constexpr std::string_view dtype_name(DType dtype) {
  return info(dtype).name;
}
std::optional<DType> dtype_from_name(std::string_view name);
constexpr int bitsize(DType dtype) {
  return info(dtype).bitsize;
}
constexpr int itemsize(DType dtype) {
  return (info(dtype).bitsize + 7) / 8;
}
constexpr int priority(DType dtype) {
  return info(dtype).priority;
}

// A set of dtypes; iterates in the enumerators' order.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(DType dtype) { insert(dtype); }  // NOLINT(google-explicit-constructor): one dtype is a set of one
  constexpr DTypeSet(std::initializer_list<DType> list) {
    for (DType dtype : list) insert(dtype);
  }
  constexpr void insert(DType dtype) { bits_ |= uint32_t{1} << static_cast<int>(dtype); }
  constexpr bool contains(DType dtype) const { return (bits_ >> static_cast<int>(dtype)) & 1; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr int size() const { return std::popcount(bits_); }
  constexpr uint32_t bits() const { return bits_; }
  friend constexpr DTypeSet operator|(DTypeSet a, DTypeSet b) { return DTypeSet(a.bits_ | b.bits_); }
  friend constexpr DTypeSet operator&(DTypeSet a, DTypeSet b) { return DTypeSet(a.bits_ & b.bits_); }
  friend constexpr DTypeSet operator-(DTypeSet a, DTypeSet b) { return DTypeSet(a.bits_ & ~b.bits_); }
  friend constexpr bool operator==(DTypeSet, DTypeSet) = default;

  class Iterator {
   public:
    using value_type = DType;
    using difference_type = std::ptrdiff_t;
    constexpr Iterator() = default;
    constexpr explicit Iterator(uint32_t rest) : rest_(rest) {}
    constexpr DType operator*() const { return static_cast<DType>(std::countr_zero(rest_)); }
    constexpr Iterator& operator++() {
      rest_ &= rest_ - 1;
      return *this;
    }
    constexpr Iterator operator++(int) {
      Iterator r = *this;
      ++*this;
      return r;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    uint32_t rest_ = 0;
  };
  constexpr Iterator begin() const { return Iterator(bits_); }
  constexpr Iterator end() const { return {}; }

 private:
  constexpr explicit DTypeSet(uint32_t bits) : bits_(bits) {}
  uint32_t bits_ = 0;
};

namespace dtypes {

inline constexpr DTypeSet fp8_ocp{DType::fp8e4m3, DType::fp8e5m2};
inline constexpr DTypeSet fp8_fnuz{DType::fp8e4m3fnuz, DType::fp8e5m2fnuz};
inline constexpr DTypeSet fp8s = fp8_ocp | fp8_fnuz;
inline constexpr DTypeSet floats = fp8s | DTypeSet{DType::float16, DType::bfloat16, DType::float32, DType::float64};
inline constexpr DTypeSet uints{DType::uint8, DType::uint16, DType::uint32, DType::uint64};
inline constexpr DTypeSet sints{DType::int8, DType::int16, DType::int32, DType::int64};
inline constexpr DTypeSet ints = uints | sints;
inline constexpr DTypeSet ints_and_weakint = ints | DType::weakint;
inline constexpr DTypeSet weaks{DType::weakint, DType::weakfloat};
inline constexpr DTypeSet all = floats | ints | DTypeSet{DType::bool_};  // without void and the weak ones

inline constexpr DType default_int = DType::int32;
inline constexpr DType default_float = DType::float32;

}  // namespace dtypes

// With the weak ones: is_float(weakfloat) and is_int(weakint) hold; is_unsigned(weakint) does not.
constexpr bool is_float(DType dtype) {
  return (dtypes::floats | DType::weakfloat).contains(dtype);
}
constexpr bool is_int(DType dtype) {
  return dtypes::ints_and_weakint.contains(dtype);
}
constexpr bool is_unsigned(DType dtype) {
  return dtypes::uints.contains(dtype);
}
constexpr bool is_bool(DType dtype) {
  return dtype == DType::bool_;
}
constexpr bool is_weak(DType dtype) {
  return dtypes::weaks.contains(dtype);
}

// The reference's order of dtypes: priority, then bits, then C name. Not the enumerators' order.
constexpr bool dtype_less(DType a, DType b) {
  const DTypeInfo& x = info(a);
  const DTypeInfo& y = info(b);
  if (x.priority != y.priority) return x.priority < y.priority;
  if (x.bitsize != y.bitsize) return x.bitsize < y.bitsize;
  return x.c_name < y.c_name;
}

// Exponent and mantissa bits of a float dtype. Throws GraphError for the others and weakfloat.
struct FloatInfo {
  int exponent;
  int mantissa;
};
FloatInfo finfo(DType dtype);

// weakint and weakfloat take the defaults; the others stay.
constexpr DType strong_dtype(DType dtype) {
  return dtype == DType::weakint ? dtypes::default_int : dtype == DType::weakfloat ? dtypes::default_float : dtype;
}
// The weak dtype of the same kind; bool and void stay.
constexpr DType weak_dtype(DType dtype) {
  return is_float(dtype) ? DType::weakfloat : is_int(dtype) ? DType::weakint : dtype;
}

// Where the dtypes meet in the promotion lattice. Throws GraphError for void and for none at all.
DType least_upper_dtype(DType a, DType b);
DType least_upper_dtype(std::span<const DType> list);
DType least_upper_float(DType dtype);
// Whether `to` keeps every value of `from`.
bool can_lossless_cast(DType from, DType to);
// What a sum of this dtype accumulates in by default.
DType sum_acc_dtype(DType dtype);

}  // namespace rangescope
