// Ops on constants, and the arithmetic around 0 and of a value with itself.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/ir/error.h"
#include "engine/ir/scalar_alu.h"
#include "engine/symbolic/families.h"

namespace rangescope::symbolic::families {

namespace {

using namespace captures;

constexpr OpSet kConstants{Op::CONST, Op::STACK};
constexpr size_t kMaxOperands = 3;

Pat constants() {
  return pat(kConstants);
}

bool is_constant_stack(UOp u) {
  return u.is(Op::STACK) && std::ranges::all_of(u.srcs(), [](UOp e) { return e.is_const(); });
}

// Element by element; a constant operand stands for all elements. Unlike scalars, elements are brought into the dtype.
UOp fold_stacks(UOp u) {
  size_t count = 0;
  for (const UOp s : u.srcs())
    if (!s.is_const()) count = std::max(count, s.src_count());
  UOps parts;
  std::array<Scalar, kMaxOperands> operands;
  for (size_t k = 0; k < count; ++k) {
    for (size_t s = 0; s < u.src_count(); ++s) operands[s] = (u.src(s).is_const() ? u.src(s) : u.src(s).src(k)).val();
    parts.push_back(
        u.store().constant(exec_alu(u.op(), u.dtype(), std::span(operands).first(u.src_count())), u.dtype()));
  }
  const UOp folded = u.store().stack(parts);
  const Shape* shape = u.shape_or_null();
  return shape == nullptr || shape->empty() || *shape == folded.shape() ? folded : folded.mop(Op::EXPAND, *shape);
}

UOp fold_const_alu(const Match& m) {
  const UOp u = m.root();
  bool stacks = false;
  for (const UOp s : u.srcs())
    if (!s.is_const()) {
      if (!is_constant_stack(s)) return {};
      stacks = true;
    }
  if (stacks) return fold_stacks(u);
  std::array<Scalar, kMaxOperands> operands;
  for (size_t s = 0; s < u.src_count(); ++s) operands[s] = u.src(s).val();
  return u.const_like(exec_alu(u.op(), u.dtype(), std::span(operands).first(u.src_count()), false));
}

Scalar not_a_number() {
  return std::numeric_limits<double>::quiet_NaN();
}

UOp times_zero(const Match& m) {
  const UOp u = m[x];
  const bool not_finite = u.is_const() && u.val().is_float() && !std::isfinite(u.val().as_double());
  return u.const_like(not_finite ? not_a_number() : Scalar(0));
}

UOp nan_like_x(const Match& m) {
  return m[x].const_like(not_a_number());
}

}  // namespace

const RuleSet& constant_folding() {
  static const RuleSet rules(
      "constant_folding",
      {
          {"cast-constant", "a constant is converted once, at the width that the cast states", "uop/symbolic.py:147",
           pat(Op::CAST, {cvar(c)}).with_dtype(dtypes::all).named(root),
           [](const Match& m) { return m[root].const_like(m[c].val()); }},
          {"fold-unary", "an op on a constant is a constant", "uop/symbolic.py:148",
           pat(groups::Unary, {constants()}).named(a), fold_const_alu},
          {"fold-binary", "an op on two constants is a constant", "uop/symbolic.py:150",
           pat(groups::Binary - OpSet{Op::THREEFRY}, {constants(), constants()}).named(a), fold_const_alu},
          {"fold-ternary", "an op on three constants is a constant", "uop/symbolic.py:151",
           pat(groups::Ternary, {constants(), constants(), constants()}).named(a), fold_const_alu},
      });
  return rules;
}

// Before other rules take bools for numbers.
const RuleSet& bool_arithmetic() {
  static const Pat p = var(x, DType::bool_);
  static const Pat q = var(y, DType::bool_);
  static const RuleSet rules("bool_arithmetic",
                             {
                                 {"mul-bools", "the product of bools is their AND", "uop/symbolic.py:153", p * q,
                                  [](const Match& m) { return m[x] & m[y]; }},
                                 {"add-bools", "the sum of bools is their OR", "uop/symbolic.py:154", p + q,
                                  [](const Match& m) { return m[x] | m[y]; }},
                                 {"max-bools", "the maximum of bools is their OR", "uop/symbolic.py:155", p.maximum(q),
                                  [](const Match& m) { return m[x] | m[y]; }},
                             });
  return rules;
}

const RuleSet& division_by_itself() {
  static const RuleSet rules(
      "division_by_itself",
      {
          {"zero-by-zero", "0 / 0 is nan", "uop/symbolic.py:157", cvar(x).with_arg(Arg(0)) / Scalar(0), nan_like_x},
          {"times-zero-by-zero", "(x * 0) / 0 is nan", "uop/symbolic.py:158", (var(x) * Scalar(0)) / Scalar(0),
           nan_like_x},
          {"div-itself", "x / x is 1; wrong where x is 0, as in the reference", "uop/symbolic.py:160", var(x) / var(x),
           [](const Match& m) { return m[x].const_like(Scalar(1)); }},
          {"mul-then-div", "(x * y) / y is x; wrong where y is 0, as in the reference", "uop/symbolic.py:161",
           (var(x) * var(x2)) / var(x2), [](const Match& m) { return m[x]; }},
          {"mul-zero", "x * 0 is 0, or nan for a constant that is not finite", "uop/symbolic.py:165",
           var(x) * Scalar(0), times_zero},
      });
  return rules;
}

}  // namespace rangescope::symbolic::families
