// Comparisons of index arithmetic with constants.

#include "engine/ir/error.h"
#include "engine/symbolic/families.h"

namespace rangescope::symbolic::families {

namespace {

using namespace captures;

// c0*x < c1: the constant factor is divided away, rounding the bound up.
UOp divide_by_factor(const Match& m) {
  const Int factor = m[c0].val().as_int();
  if (abs(factor) <= Int(1)) return {};
  const Int bound = -floordiv(-m[c1].val().as_int(), abs(factor));
  return lt(factor > Int(0) ? m[x] : -m[x], Scalar(bound));
}

UOp multiply_by_divisor(const Match& m) {
  const Int divisor = m[d].val().as_int();
  if (divisor.is_zero()) return {};
  const Scalar bound = m[c].val().as_int() * divisor;
  return divisor > Int(0) ? lt(m[x], bound) : gt(m[x], bound);
}

// A sum below c where all terms but some small ones are multiples of d: the small ones cannot change the answer, and d
// can be divided away.
UOp lt_folding(const Match& m) {
  if (!python_less(Scalar(0), m[c].val())) return {};
  const Int bound = m[c].val().as_int();
  Int common = bound;
  if (common == Int(1)) return {};
  UOps multiples;
  UOps small;
  for (const UOp term : m[x].split(Op::ADD)) {
    const Int factor = term.const_factor();
    if (factor == Int(1)) {
      small.push_back(term);
      continue;
    }
    multiples.push_back(term);
    common = gcd(common, factor);
    if (common == Int(1)) return {};
  }
  if (multiples.empty()) return {};
  Int least(0);
  Int greatest(0);
  for (const UOp term : small) {
    least += term.vmin().as_int();
    greatest += term.vmax().as_int();
  }
  if (least < Int(0) || greatest >= common) return {};
  const UOp divided = multiples[0].usum(std::span(multiples).subspan(1)).divides(common);
  if (!divided) throw GraphError("a sum is not divided by the common factor of its terms");
  return lt(divided, Scalar(floordiv(bound, common)));
}

// a0*x0 + a1*x1 + ... > 0 is x0 + x1 + ... > 0 where no x is negative and all a are positive. Null: no factor to drop.
UOp canonicalize_simplex(UOp sum) {
  bool changed = false;
  UOps terms;
  for (UOp term : sum.split(Op::ADD)) {
    if (term.is(Op::MUL) && term.src(1).is_const() && python_less(Scalar(0), term.src(1).val())) {
      changed = true;
      term = term.src(0);
    }
    if (!term.in(groups::Irreducible) || python_less(term.vmin(), Scalar(0))) return {};
    terms.push_back(term);
  }
  return changed ? terms[0].usum(std::span(terms).subspan(1)) : UOp{};
}

}  // namespace

const RuleSet& comparisons() {
  static const RuleSet rules(
      "comparisons",
      {
          {"lt-subtract-constant", "c0 + x < c1 is x < c1 - c0", "uop/symbolic.py:273",
           (cvar(c0) + var(x, dtypes::ints_and_weakint)) < cvar(c1),
           [](const Match& m) { return lt(m[x], m[c1] - m[c0]); }},
          {"lt-divide-by-factor", "c0*x < c1 is x < ceil(c1 / c0), turned round for a negative c0",
           "uop/symbolic.py:275", (cvar(c0) * var(x, DType::weakint)) < cvar(c1), divide_by_factor},
          {"lt-multiply-by-divisor", "x // d < c is x < c*d, turned round for a negative d", "uop/symbolic.py:278",
           floordiv(var(x, DType::weakint), cvar(d)) < cvar(c), multiply_by_divisor},
      });
  return rules;
}

const RuleSet& sums_below_constants() {
  static const RuleSet rules(
      "sums_below_constants",
      {
          {"lt-drop-small-terms", "terms too small to change a comparison of multiples of d go, and d with them",
           "uop/symbolic.py:285", var(x, DType::weakint) < cvar(c), lt_folding},
          {"lt-of-negated", "-x < -y is y < x", "uop/symbolic.py:286",
           var(x, DType::weakint) * Scalar(-1) < var(y) * Scalar(-1), [](const Match& m) { return lt(m[y], m[x]); }},
          {"simplex-above-zero", "a weighted sum of what is not negative is above 0 where the plain sum is",
           "uop/symbolic.py:288", (var(x, DType::weakint) < Scalar(1)).ne(cnst(true)),
           [](const Match& m) {
             const UOp plain = canonicalize_simplex(m[x]);
             return plain ? lt(plain, Scalar(1)).ne(Scalar(true)) : UOp{};
           }},
      });
  return rules;
}

}  // namespace rangescope::symbolic::families
