#include "engine/symbolic/powers.h"

#include <cmath>

#include "engine/ir/error.h"
#include "engine/symbolic/families.h"

namespace rangescope::symbolic {

UOp pow(UOp base, UOp exponent) {
  return binop(Op::POW, base, exponent);
}

UOp pow(UOp base, const Scalar& exponent) {
  const UOp e = base.ufix(exponent);
  const bool has_float = is_float(least_upper_dtype(base.dtype(), e.dtype()));
  if (!has_float && (!exponent.is_integral() || exponent.as_int() < Int(0)))
    throw GraphError("the base of a power with this exponent must be a float");
  return pow(base, e);
}

namespace families {

namespace {

using namespace captures;

Scalar half_rounded_down(const Scalar& v) {
  return v.is_float() ? Scalar(std::floor(v.as_double() / 2)) : Scalar(floordiv(v.as_int(), Int(2)));
}

bool is_odd(const Scalar& v) {
  if (!v.is_float()) return floormod(v.as_int(), Int(2)) == Int(1);
  const double r = std::fmod(v.as_double(), 2.0);
  return r == 1.0 || r == -1.0;
}

// x ** c by square roots and squarings.
UOp constant_power(const Match& m) {
  const UOp base = m[x];
  const Scalar& v = m[c].val();
  if (python_less(v, Scalar(0)))
    return pow(base.reciprocal(), v.is_float() ? Scalar(-v.as_double()) : Scalar(-v.as_int()));
  if (python_equal(v, Scalar(0))) return base.const_like(Scalar(1));
  const Scalar less = v.as_double() - 0.5;
  if (python_equal(Scalar(less.to_int().to_double() + 0.5), v)) return pow(base, less) * base.sqrt();
  if (!python_equal(Scalar(v.to_int()), v)) return {};
  const UOp root_power = pow(base, half_rounded_down(v));
  const UOp squared = root_power * root_power;
  return is_odd(v) ? squared * base : squared * Scalar(1);
}

UOp power_of_constant(const Match& m) {
  const Scalar& v = m[c].val();
  if (python_equal(v, Scalar(1))) return m[c];
  return python_less(Scalar(0), v) ? (m[x] * Scalar(std::log2(v.as_double()))).exp2() : UOp{};
}

}  // namespace

const RuleSet& powers() {
  static const RuleSet rules(
      "powers", {
                    {"constant-power", "a constant power is made of squarings, a square root and a reciprocal",
                     "uop/symbolic.py:176", var(x).alu(Op::POW, {cvar(c)}), constant_power},
                    {"power-of-constant", "c ** x is exp2(x * log2(c)) for a positive constant", "uop/symbolic.py:178",
                     cvar(c).alu(Op::POW, {var(x)}), power_of_constant},
                });
  return rules;
}

}  // namespace families

}  // namespace rangescope::symbolic
