#include "engine/codegen/fast_division.h"

#include <optional>

#include "engine/ir/error.h"
#include "engine/ir/store.h"

namespace rangescope::codegen {

namespace {

std::optional<DType> next_wider(DType dtype) {
  switch (dtype) {
    case DType::int8:
      return DType::int16;
    case DType::int16:
      return DType::int32;
    case DType::int32:
      return DType::int64;
    case DType::int64:
      return DType::uint64;
    case DType::uint8:
      return DType::uint16;
    case DType::uint16:
      return DType::uint32;
    case DType::uint32:
      return DType::uint64;
    default:
      return std::nullopt;
  }
}

bool holds(DType dtype, const Int& low, const Int& high) {
  return low >= dtype_min(dtype).as_int() && high <= dtype_max(dtype).as_int();
}

}  // namespace

std::pair<Int, int64_t> magic_division(const Int& vmax, const Int& d) {
  // Hacker's Delight, chapter 10
  const Int nc = floordiv(vmax + Int(1), d) * d - Int(1);
  const int64_t bits = vmax.bit_length();
  for (int64_t s = 0; s <= 2 * bits; ++s) {
    const Int p = Int::pow2(s), excess = d - Int(1) - floormod(p - Int(1), d);
    if (p > nc * excess) return {floordiv(p + excess, d), s};
  }
  throw GraphError("no multiplication replaces this division");
}

UOp fast_division(const Target& target, UOp x, const Int& d, bool may_cast) {
  if (d.sign() <= 0) throw GraphError("fast division needs a positive divisor");
  const bool is_unsigned = x.vmin().as_int().sign() >= 0 || dtypes::uints.contains(x.dtype());
  const Int vmin = max(x.vmin().as_int(), dtype_min(x.dtype()).as_int());
  const Int vmax = min(x.vmax().as_int(), dtype_max(x.dtype()).as_int());
  if (vmin > -d && vmax < d) return x.const_like(Scalar(0));
  const auto [m, s] = magic_division(max(vmax, abs(vmin)), d);
  const auto corrected = [&](UOp q) {
    return is_unsigned ? q : q + lt(x, Scalar(0)).where(x.ufix(Scalar(1)), Scalar(0));
  };
  if (holds(x.dtype(), m * vmin, m * vmax)) return corrected((x * Scalar(m)) >> Scalar(s));
  // factors of two first: what is left is smaller
  const Int twos = d & -d;
  if (twos > Int(1)) {
    const UOp smaller = x.alu(Op::CDIV, x.const_like(Scalar(twos)));
    if (const UOp r = fast_division(target, smaller, floordiv(d, twos), false)) return r;
  }
  if (!may_cast) return {};
  const std::optional<DType> wide = next_wider(x.dtype());
  if (!wide || !target.dtypes.contains(*wide) || !holds(*wide, m * vmin, m * vmax)) return {};
  return corrected(((x.cast(*wide) * Scalar(m)) >> Scalar(s)).cast(x.dtype()));
}

}  // namespace rangescope::codegen
