#include "engine/symbolic/transcendental.h"

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>

#include "engine/ir/error.h"
#include "engine/ir/store.h"

namespace rangescope::symbolic {

namespace {

constexpr DTypeSet kSupported{DType::float16, DType::float32, DType::float64};

void require_supported(UOp d) {
  if (!kSupported.contains(d.dtype()))
    throw GraphError("transcendental functions are decomposed at float16, float32 and float64 only, not " +
                     std::string(dtype_name(d.dtype())));
}

// What stands for inf, -inf and nan; `ratio` for any other x.
UOp map_special(UOp x, UOp inf, UOp minus_inf, UOp nan, UOp ratio) {
  return x.ne(Scalar(kInf)).where(x.ne(x).where(nan, x.ne(Scalar(-kInf)).where(ratio, minus_inf)), inf);
}
UOp zero_special(UOp d) {
  const UOp zero = d.const_like(Scalar(0.0));
  return map_special(d, zero, zero, zero, d);
}

// ** the bits of a float

int mantissa_bits(DType d) {
  return finfo(d).mantissa;
}
int exponent_bias(DType d) {
  return (1 << (finfo(d).exponent - 1)) - (dtypes::fp8_fnuz.contains(d) ? 0 : 1);
}
int exponent_mask(DType d) {
  return (1 << finfo(d).exponent) - 1;
}
// The integer of a float's width.
DType signed_of(DType d) {
  return d == DType::float64 ? DType::int64 : d == DType::float32 ? DType::int32 : DType::int16;
}
DType unsigned_of(DType d) {
  return d == DType::float64 ? DType::uint64 : d == DType::float32 ? DType::uint32 : DType::uint16;
}

UOp shr(UOp x, int n) {
  return floordiv(x, Scalar(Int::pow2(n)));
}
UOp shl(UOp x, int n) {
  return x * Scalar(Int::pow2(n));
}

UOp mask(UOp x, Int bits) {
  return binop(Op::AND, x, Scalar(bits));
}

// The nearest integer, halves away from 0.
UOp rintk(UOp d) {
  return (d + lt(d, Scalar(0.0)).where(d.const_like(Scalar(-0.5)), d.const_like(Scalar(0.5))))
      .cast(signed_of(d.dtype()));
}

// 2**q as a float; q in [-126, 127].
UOp pow2if(UOp q, DType float_dtype) {
  DType out = float_dtype;
  if (q.dtype() == DType::int64) out = DType::float64;
  if (q.dtype() == DType::int32) out = DType::float32;
  return shl(q + Scalar(exponent_bias(out)), mantissa_bits(out)).bitcast(out);
}

// The integer part of log2(d); d is normal and not negative.
UOp ilogb2k(UOp d) {
  const UOp bits = d.bitcast(signed_of(d.dtype()));
  return mask(shr(bits, mantissa_bits(d.dtype())), exponent_mask(d.dtype())) - Scalar(exponent_bias(d.dtype()));
}

// d * 2**e for any d; e is a float that holds an integer in [-127, 127].
UOp ldexp3k(UOp d, UOp e) {
  const DType bits = signed_of(d.dtype());
  const UOp mantissa = d.bitcast(bits);
  const UOp exponent = shl(e.cast(bits), mantissa_bits(d.dtype()));
  return (mantissa + exponent).bitcast(d.dtype());
}

// d * 2**e for normal d above 0; e is an integer.
UOp ldexp2k(UOp d, UOp e) {
  return (d * pow2if(shr(e, 1), d.dtype())) * pow2if(e - shr(e, 1), d.dtype());
}

struct MantissaExponent {
  UOp mantissa, exponent;
};
// v = mantissa * 2**exponent with a mantissa in [0.5, 1); v is not 0.
MantissaExponent frexp(UOp v) {
  const DType d = v.dtype();
  const bool is_double = d == DType::float64;
  const bool is_half = d == DType::float16;
  const Int keep = is_double ? Int(0x000FFFFFFFFFFFFF) : is_half ? Int(0x83FF) : Int(0x807FFFFF);
  const Int half = is_double ? Int(0x3FE0000000000000) : is_half ? Int(0x3800) : Int(0x3F000000);
  const UOp bits = v.bitcast(unsigned_of(d));
  const UOp exponent = mask(shr(bits, mantissa_bits(d)), exponent_mask(d));
  const UOp mantissa = binop(Op::OR, mask(bits, keep), Scalar(half)).bitcast(d);
  return {mantissa, exponent - Scalar(exponent_bias(d)) + Scalar(1)};
}

// By Horner's rule from 0, as the reference builds it: ((0*x + c0)*x + c1)*x + ...
UOp polynomial(UOp x, std::span<const double> coefficients) {
  UOp r = binop(Op::MUL, Scalar(0.0), x) + Scalar(coefficients[0]);
  for (const double c : coefficients.subspan(1)) r = r * x + Scalar(c);
  return r;
}

// ** range reduction of sin

// 192 bits of 2/pi after a word of zeros.
constexpr std::array<uint32_t, 7> kTwoOverPi{0x00000000, 0x28be60db, 0x9391054a, 0x7f09d5f4,
                                             0x7d4d3770, 0x36d8a566, 0x4f10e410};

// kTwoOverPi[i + offset] as a chain of selections.
UOp two_over_pi(UOp i, size_t offset) {
  UOp r = i.store().constant(Scalar(0), DType::uint32);
  const UOp like = r;
  for (size_t count = kTwoOverPi.size() - 1 - offset; count-- > 0;)
    r = i.ne(Scalar(static_cast<int64_t>(count)))
            .where(r, like.const_like(Scalar(static_cast<int64_t>(kTwoOverPi[count + offset]))));
  return r;
}

}  // namespace

Reduced payne_hanek_reduction(UOp d) {
  require_supported(d);
  const DType wide = d.dtype() == DType::float16 ? DType::float32 : d.dtype();
  const auto [fraction, exponent] = frexp(d);
  const UOp ia = (fraction.cast(wide) * Scalar(4.294967296e9)).cast(DType::uint64);
  // the 96 bits of 2/pi that matter at this magnitude
  const UOp word = shr(exponent.cast(DType::uint64), 5);
  const UOp e = mask(exponent.cast(DType::int32), 31);
  const UOp rest = Scalar(32) - e;
  std::array<UOp, 4> a;
  for (size_t i = 0; i < a.size(); ++i) a[i] = two_over_pi(word, i);
  const auto power = [&](UOp y) { return pow2if(y, d.dtype()).cast(DType::uint64); };
  const auto up = [&](UOp x, UOp y) { return (x.cast(DType::uint64) * power(y)).cast(DType::uint32); };
  const auto down = [&](UOp x, UOp y) { return floordiv(x.cast(DType::uint64), power(y)).cast(DType::uint32); };
  const UOp hi = up(a[0], e) | down(a[1], rest);
  const UOp mi = up(a[1], e) | down(a[2], rest);
  const UOp lo = up(a[2], e) | down(a[3], rest);
  const auto times = [](UOp x, UOp y) { return x.cast(DType::uint64) * y.cast(DType::uint64); };
  const UOp p = shl(times(ia, hi), 32) + times(ia, mi) + shr(times(ia, lo), 32);
  // the quotient to the nearest, the remainder from the bits below
  const UOp q = shr(p, 62).cast(DType::int32);
  const UOp bits = mask(p, 0x3fffffffffffffff);
  const UOp r = (bits.cast(wide) * Scalar(3.4061215800865545e-19)).cast(d.dtype());
  const UOp below_half = lt(fraction, Scalar(0.5));
  return {below_half.where(r, r - Scalar(std::numbers::pi / 2)), below_half.where(q, q + Scalar(1))};
}

namespace {

constexpr double kOneOverPi = 0.318309886183790671537767526745028724;

// x - q * pi with pi in four parts, so that each product is exact. `high` is the part of q above 2**24, for float64.
UOp subtract_multiple_of_pi(UOp x, UOp q, UOp high) {
  if (x.dtype() == DType::float64) {
    constexpr std::array<double, 3> parts{3.1415926218032836914, 3.1786509424591713469e-08, 1.2246467864107188502e-16};
    UOp d = x;
    for (const double part : parts) {
      d = high * Scalar(-part) + d;
      d = q * Scalar(-part) + d;
    }
    return (high + q) * Scalar(-1.2736634327021899816e-24) + d;
  }
  constexpr std::array<double, 4> parts{3.1414794921875, 0.00011315941810607910156, 1.9841872589410058936e-09,
                                        1.2154201256553420762e-10};
  UOp d = x;
  for (const double part : parts) d = q * Scalar(-part) + d;
  return d;
}

}  // namespace

Reduced cody_waite_reduction(UOp d) {
  constexpr double scale = 16777216.0;  // 2**24
  const UOp high = (d * Scalar(kOneOverPi / scale)).cast(DType::int64).cast(d.dtype()) * Scalar(scale);
  const UOp turns = d * Scalar(kOneOverPi);
  const UOp quadrant = rintk(d.dtype() == DType::float64 ? turns - high : turns);
  const UOp q = quadrant.cast(d.dtype());
  // a half needs the precision of float32 for its last bit
  const UOp remainder =
      d.dtype() == DType::float16
          ? subtract_multiple_of_pi(d.cast(DType::float32), q.cast(DType::float32), high).cast(d.dtype())
          : subtract_multiple_of_pi(d, q, high);
  return {remainder, quadrant.cast(DType::int32)};
}

namespace {

// sin on [-pi/2, pi/2]
UOp sin_polynomial(UOp d) {
  constexpr std::array<double, 5> for_single{2.6083159809786593541503e-06, -0.0001981069071916863322258,
                                             0.00833307858556509017944336, -0.166666597127914428710938, 1.0};
  constexpr std::array<double, 10> for_double{-7.97255955009037868891952e-18, 2.81009972710863200091251e-15,
                                              -7.64712219118158833288484e-13, 1.60590430605664501629054e-10,
                                              -2.50521083763502045810755e-08, 2.75573192239198747630416e-06,
                                              -0.000198412698412696162806809, 0.00833333333333332974823815,
                                              -0.166666666666666657414808,    1.0};
  return d * (d.dtype() == DType::float64 ? polynomial(d * d, for_double) : polynomial(d * d, for_single));
}

UOp has_bit(UOp q, int bit) {
  return mask(q, bit).ne(Scalar(0));
}
UOp negate_where(UOp condition, UOp r) {
  return r * condition.where(r.const_like(Scalar(-1)), r.const_like(Scalar(1)));
}

UOp sin_of_small(UOp d, UOp q) {
  return negate_where(has_bit(q, 1), sin_polynomial(d));
}
UOp sin_of_large(UOp d, UOp q) {
  const UOp quarter = has_bit(q, 1).where(d.const_like(Scalar(std::numbers::pi / 2)), d.const_like(Scalar(0)));
  return negate_where(has_bit(q, 2), sin_polynomial(d + quarter));
}

}  // namespace

UOp xsin(UOp d, bool fast, double switch_over) {
  require_supported(d);
  const UOp x = zero_special(d);
  const UOp sign = x.ne(Scalar(0)).where(lt(x, Scalar(0)).where(x.const_like(Scalar(-1)), x.const_like(Scalar(1))),
                                         x.const_like(Scalar(0)));
  const UOp size = x * sign;
  const Reduced small = cody_waite_reduction(size);
  UOp result = sin_of_small(small.remainder, small.quadrant);
  if (!fast) {
    // Payne-Hanek wants |x| >= pi/4, smaller values take the other way
    const Reduced large = payne_hanek_reduction(size);
    result = lt(size, Scalar(switch_over)).where(result, sin_of_large(large.remainder, large.quadrant));
  }
  const UOp nan = d.const_like(Scalar(kNan));
  return map_special(d, nan, nan, nan, result * sign);
}

UOp xexp2(UOp d) {
  require_supported(d);
  const bool is_double = d.dtype() == DType::float64;
  const UOp x = zero_special(d);
  const UOp q = rintk(x);
  const UOp s = x - q;  // in [-1/2, 1/2]
  constexpr std::array<double, 12> for_double{
      0.4434359082926529454e-9, 0.7073164598085707425e-8, 0.1017819260921760451e-6, 0.1321543872511327615e-5,
      0.1525273353517584730e-4, 0.1540353045101147808e-3, 0.1333355814670499073e-2, 0.9618129107597600536e-2,
      0.5550410866482046596e-1, 0.2402265069591012214e+0, 0.6931471805599452862e+0, 0.1000000000000000000e+1};
  constexpr std::array<double, 7> for_single{
      0.1535920892e-3, 0.1339262701e-2, 0.9618384764e-2, 0.5550347269e-1, 0.2402264476e+0, 0.6931471825e+0, 1.0};
  UOp u = is_double ? polynomial(s, for_double) : polynomial(s, for_single);
  u = ldexp2k(u, q);
  const int upper = is_double ? 1024 : d.dtype() == DType::float32 ? 128 : 23;
  const int lower = is_double ? -2000 : d.dtype() == DType::float32 ? -150 : -22;
  u = ge(d, Scalar(upper)).where(d.const_like(Scalar(kInf)), u);
  u = lt(d, Scalar(lower)).where(d.const_like(Scalar(0.0)), u);
  return d.ne(d).where(d.const_like(Scalar(kNan)), u);
}

UOp xlog2(UOp d) {
  require_supported(d);
  const DType dtype = d.dtype();
  // subnormal numbers are scaled up first; 2**64 would overflow a half
  const int denormal_exponent = dtype == DType::float16 ? 10 : 64;
  const UOp is_denormal = lt(d, d.const_like(Scalar(dtype == DType::float16 ? 6.1e-5 : 1e-4)));
  const UOp a = is_denormal.where(d * Scalar(std::ldexp(1.0, denormal_exponent)), d);
  UOp e = ilogb2k(a * Scalar(1.0 / 0.75)).cast(a.dtype());
  const UOp m = ldexp3k(a, -e);
  e = is_denormal.where(e - Scalar(denormal_exponent), e);

  const UOp x = (m - Scalar(1.0)).div(m + Scalar(1.0));
  const UOp x2 = x * x;
  UOp r;
  if (dtype == DType::float64) {
    constexpr std::array<double, 7> for_double{
        0.2211941750456081490e+0, 0.2200768693152277689e+0, 0.2623708057488514656e+0, 0.3205977477944495502e+0,
        0.4121985945485324709e+0, 0.5770780162997058982e+0, 0.96179669392608091449};
    r = polynomial(x2, for_double) * (x * x2) + e + x * Scalar(2.885390081777926774);
  } else {
    constexpr std::array<double, 3> for_single{0.4374550283e+0, 0.5764790177e+0, 0.9618012905120};
    r = polynomial(x2, for_single) * (x * x2) + e + x * Scalar(2.8853900432586669922);
    // the low part of the last factor underflows in a half
    r = dtype == DType::float32 ? r + x * Scalar(3.2734474483568488616e-08) : r + Scalar(0);
  }
  const UOp inf = r.const_like(Scalar(kInf));
  const UOp minus_inf = r.const_like(Scalar(-kInf));
  const UOp nan = r.const_like(Scalar(kNan));
  r = d.ne(Scalar(kInf)).where(r, inf);
  r = d.ne(Scalar(0.0)).where(r, minus_inf);
  r = lt(d, Scalar(-0.0)).where(nan, r);
  r = d.ne(d).where(nan, r);
  // some devices do not see -0.0 as 0: its reciprocal tells
  return d.reciprocal().ne(Scalar(-kInf)).where(r, minus_inf);
}

UOp xpow(UOp base, UOp exponent) {
  const UOp negative = lt(base, Scalar(0));
  const UOp r = (negative.where(-base, base).alu(Op::LOG2) * exponent).exp2();
  // a negative base: nan for a fractional exponent (-inf is no nan), the sign of an odd one
  const UOp fractional = exponent.ne(exponent.cast(DType::int32).cast(exponent.dtype()));
  const UOp is_odd =
      (lt(exponent, Scalar(0)).where(-exponent, exponent).cast(DType::int32) % Scalar(2)).cast(DType::bool_);
  const UOp of_negative =
      fractional.where(base.ne(Scalar(-kInf)).where(r.const_like(Scalar(kNan)), r), is_odd.where(-r, r));
  // x ** 0 is 1 for every x
  return exponent.eq(Scalar(0)).where(r.const_like(Scalar(1)), negative.where(of_negative, r));
}

namespace {

using namespace captures;

constexpr DTypeSet kThroughFloat32 = dtypes::floats - kSupported;

UOp through_float32(const Match& m) {
  return m[d].cast(DType::float32).alu(m[x].op()).cast(m[x].dtype());
}

const RuleSet& exp2_rules() {
  static const RuleSet rules(
      "decompose_exp2",
      {{"decompose-exp2", "2**x from a polynomial and the bits of the exponent", "codegen/decomp/transcendental.py:272",
        pat(Op::EXP2, {var(d)}).with_dtype(kSupported), [](const Match& m) { return xexp2(m[d]); }},
       {"exp2-at-float32", "small floats take their exp2 at float32", "codegen/decomp/transcendental.py:273",
        pat(Op::EXP2, {var(d)}).with_dtype(kThroughFloat32).named(x), through_float32}});
  return rules;
}

const RuleSet& log2_rules() {
  static const RuleSet rules(
      "decompose_log2",
      {{"decompose-log2", "log2(x) from the bits of the exponent and a polynomial",
        "codegen/decomp/transcendental.py:272", pat(Op::LOG2, {var(d)}).with_dtype(kSupported),
        [](const Match& m) { return xlog2(m[d]); }},
       {"log2-at-float32", "small floats take their log2 at float32", "codegen/decomp/transcendental.py:273",
        pat(Op::LOG2, {var(d)}).with_dtype(kThroughFloat32).named(x), through_float32}});
  return rules;
}

const RuleSet& sin_rules() {
  static const RuleSet rules(
      "decompose_sin",
      {{"decompose-sin", "sin(x) from a polynomial of the remainder modulo pi/2",
        "codegen/decomp/transcendental.py:272", pat(Op::SIN, {var(d)}).with_dtype(kSupported),
        [](const Match& m) { return xsin(m[d]); }},
       {"sin-at-float32", "small floats take their sin at float32", "codegen/decomp/transcendental.py:273",
        pat(Op::SIN, {var(d)}).with_dtype(kThroughFloat32).named(x), through_float32}});
  return rules;
}

const RuleSet& sqrt_rules() {
  static const RuleSet rules(
      "decompose_sqrt",
      {{"decompose-sqrt", "a square root is the power 0.5", "codegen/decomp/transcendental.py:276",
        pat_repeated(Op::SQRT, var(d)), [](const Match& m) { return xpow(m[d], m[d].const_like(Scalar(0.5))); }}});
  return rules;
}

}  // namespace

const RuleSet& transcendental_rules(OpSet native, bool force) {
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<const RuleSet>> made;
  constexpr std::array<Op, 4> ops{Op::EXP2, Op::LOG2, Op::SIN, Op::SQRT};
  const std::array<const RuleSet*, 4> all{&exp2_rules(), &log2_rules(), &sin_rules(), &sqrt_rules()};
  int key = 0;
  for (size_t i = 0; i < ops.size(); ++i)
    if (force || !native.contains(ops[i])) key |= 1 << i;
  const std::scoped_lock lock(mutex);
  std::unique_ptr<const RuleSet>& set = made[key];
  if (!set) {
    static const RuleSet none("none", std::vector<Rule>{});
    const auto part = [&](int i) { return (key >> i & 1) != 0 ? all[static_cast<size_t>(i)] : &none; };
    set = std::make_unique<const RuleSet>("transcendental",
                                          std::initializer_list<const RuleSet*>{part(0), part(1), part(2), part(3)});
  }
  return *set;
}

}  // namespace rangescope::symbolic
