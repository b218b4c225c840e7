#include "engine/ir/dtype.h"

#include <string>

#include "engine/ir/error.h"

namespace rangescope {

namespace {

using Lattice = std::array<DTypeSet, kDTypeCount>;

// What each dtype promotes to in one step; after JAX's JEP 9407.
constexpr Lattice promotions() {
  using enum DType;
  Lattice up{};
  const auto edge = [&up](DType from, DTypeSet to) { up[static_cast<size_t>(from)] = to; };
  edge(bool_, weakint);
  edge(weakint, {int8, uint8});
  edge(int8, int16);
  edge(int16, int32);
  edge(int32, int64);
  edge(int64, weakfloat);
  edge(uint8, {int16, uint16});
  edge(uint16, {int32, uint32});
  edge(uint32, {int64, uint64});
  edge(uint64, weakfloat);
  edge(weakfloat, dtypes::fp8s);
  for (DType fp8 : dtypes::fp8s) edge(fp8, {float16, bfloat16});
  edge(float16, float32);
  edge(bfloat16, float32);
  edge(float32, float64);
  return up;
}

// Each dtype with everything above it; void is outside the lattice.
constexpr Lattice uppers() {
  Lattice r = promotions();
  for (size_t i = 1; i < kDTypeCount; ++i) r[i].insert(static_cast<DType>(i));
  for (bool changed = true; changed;) {
    changed = false;
    for (DTypeSet& set : r) {
      const DTypeSet before = set;
      for (DType up : before) set = set | r[static_cast<size_t>(up)];
      changed |= set != before;
    }
  }
  return r;
}

constexpr DType kNone = DType::void_;

constexpr DType least(DTypeSet set) {
  DType r = kNone;
  for (DType dtype : set) {
    if (r == kNone || dtype_less(dtype, r)) r = dtype;
  }
  return r;
}

constexpr Lattice kUppers = uppers();

constexpr auto kLeastUpper = [] {
  std::array<std::array<DType, kDTypeCount>, kDTypeCount> r{};
  for (size_t a = 0; a < kDTypeCount; ++a) {
    for (size_t b = 0; b < kDTypeCount; ++b) r[a][b] = least(kUppers[a] & kUppers[b]);
  }
  return r;
}();

[[noreturn]] void no_common(std::string_view what) {
  throw GraphError("no common dtype: " + std::string(what) + " takes no part in type promotion");
}

}  // namespace

std::optional<DType> dtype_from_name(std::string_view name) {
  for (size_t i = 0; i < kDTypeCount; ++i) {
    if (kDTypes[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

FloatInfo finfo(DType dtype) {
  switch (dtype) {
    case DType::fp8e4m3:
    case DType::fp8e4m3fnuz:
      return {4, 3};
    case DType::fp8e5m2:
    case DType::fp8e5m2fnuz:
      return {5, 2};
    case DType::float16:
      return {5, 10};
    case DType::bfloat16:
      return {8, 7};
    case DType::float32:
      return {8, 23};
    case DType::float64:
      return {11, 52};
    default:
      throw GraphError(std::string(dtype_name(dtype)) + " is not a floating point type with a known layout");
  }
}

DType least_upper_dtype(DType a, DType b) {
  const DType r = kLeastUpper[static_cast<size_t>(a)][static_cast<size_t>(b)];
  if (r == kNone) no_common("void");
  return r;
}

DType least_upper_dtype(std::span<const DType> list) {
  if (list.empty()) no_common("an empty list of operands");
  DTypeSet common = kUppers[static_cast<size_t>(list[0])];
  for (DType dtype : list) common = common & kUppers[static_cast<size_t>(dtype)];
  if (common.empty()) no_common("void");
  return least(common);
}

DType least_upper_float(DType dtype) {
  if (dtype == DType::weakint) return DType::weakfloat;
  return is_float(dtype) ? dtype : least_upper_dtype(dtype, dtypes::default_float);
}

bool can_lossless_cast(DType from, DType to) {
  using enum DType;
  if (from == to || from == bool_) return true;
  constexpr DTypeSet bytes{int8, uint8};
  constexpr DTypeSet shorts = bytes | DTypeSet{int16, uint16};
  const auto in = [from](DTypeSet set) { return set.contains(from); };
  switch (to) {
    case weakint:
      return in(dtypes::ints);
    case float64:
      return in(dtypes::fp8s | shorts | DTypeSet{float32, float16, bfloat16, uint32, int32});
    case float32:
      return in(dtypes::fp8s | shorts | DTypeSet{float16, bfloat16});
    case float16:
      return in(dtypes::fp8s | bytes);
    case uint64:
      return in({uint32, uint16, uint8});
    case uint32:
      return in({uint16, uint8});
    case uint16:
      return in({uint8});
    case int64:
      return in(shorts | DTypeSet{uint32, int32});
    case int32:
      return in(shorts);
    case int16:
      return in(bytes);
    default:
      return false;
  }
}

DType sum_acc_dtype(DType dtype) {
  if (is_unsigned(dtype)) return least_upper_dtype(dtype, DType::uint32);
  if (is_int(dtype) || is_bool(dtype)) return least_upper_dtype(dtype, DType::int32);
  return least_upper_dtype(dtype, DType::float32);
}

}  // namespace rangescope
