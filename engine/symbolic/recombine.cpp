#include "engine/symbolic/recombine.h"

namespace rangescope::symbolic {

namespace {

bool divides_by_constant(UOp u) {
  return u.is(Op::FLOORDIV) && u.src(1).is_const();
}

// The B with quotient == B // d and B % d == base % d; null: none. Only such congruence is needed to recombine, and
// canonical forms move constants freely: the quotient may be merged ((x // c + a) // d is (x + a*c) // (c*d) for
// d > 0) and shifted ((y + k*D) // D is y // D + k).
UOp quotient_base(UOp quotient, UOp base, Int d) {
  const auto [q, shift] = quotient.pop_const();
  if (!divides_by_constant(q)) return {};
  const Int q_divisor = q.src(1).val().as_int();
  auto [num, num_const] = base.pop_const();
  Int added = num_const.as_int();
  Int divisor;
  if (d > Int(0) && divides_by_constant(num) && q_divisor == num.src(1).val().as_int() * d) {
    const Int c = num.src(1).val().as_int();
    num = num.src(0);
    added *= c;
    divisor = c * d;
  } else if (q_divisor == d) {
    divisor = d;
  } else {
    return {};
  }
  const auto [n, n_const] = num.pop_const();
  const auto [p, p_const] = q.src(0).pop_const();
  if (p != n) return {};
  const Int t = n_const.as_int() + added - p_const.as_int();
  if (!floormod(t, divisor).is_zero()) return {};
  const Int k = floordiv(t, divisor) - shift.as_int();
  return k.is_zero() ? base : base - Scalar(k * d);
}

UOp plus_the_rest(UOp first, const UOps& terms, size_t without_a, size_t without_b) {
  UOps rest;
  for (size_t k = 0; k < terms.size(); ++k)
    if (k != without_a && k != without_b) rest.push_back(terms[k]);
  return first.usum(rest);
}

}  // namespace

UOp fold_add_divmod_recombine(UOp sum) {
  if (!sum.below_ops().contains(Op::FLOORMOD)) return {};
  const UOps terms = sum.split(Op::ADD);
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto [mod, mul_value] = terms[i].pop_const(Op::MUL);
    if (!mod.is(Op::FLOORMOD) || !mod.src(1).is_const()) continue;
    const UOp base = mod.src(0);
    const Int d = mod.src(1).val().as_int();
    const Int mul = mul_value.as_int();
    for (size_t j = 0; j < terms.size(); ++j) {
      const auto [q, scale] = terms[j].pop_const(Op::MUL);
      if (i == j || scale.as_int() != d * mul) continue;
      // q is b // d: all of b comes back
      if (const UOp b = quotient_base(q, base, d)) return plus_the_rest(b * Scalar(mul), terms, i, j);
      // q is (b // d) % e: b % (d * e) comes back
      if (!q.is(Op::FLOORMOD) || !q.src(1).is_const()) continue;
      const Int e = q.src(1).val().as_int();
      if (e <= Int(0)) continue;
      if (const UOp b = quotient_base(q.src(0), base, d))
        return plus_the_rest((b % Scalar(d * e)) * Scalar(mul), terms, i, j);
    }
  }
  return {};
}

}  // namespace rangescope::symbolic
