// Ops that give back an operand, and ops of a value with itself.

#include "engine/symbolic/families.h"
#include "engine/symbolic/recombine.h"

namespace rangescope::symbolic::families {

namespace {

using namespace captures;

constexpr DTypeSet kIntsAndBool = dtypes::ints | DTypeSet{DType::bool_, DType::weakint};

UOp the_x(const Match& m) {
  return m[x];
}
UOp zero_like_x(const Match& m) {
  return m[x].const_like(Scalar(0));
}
UOp false_like_x(const Match& m) {
  return m[x].const_like(Scalar(false), DType::bool_);
}

Pat bool_x() {
  return var(x, DType::bool_);
}

// A bool as an int is 0 or 1, so comparing it with a constant is the bool, its negation, or always true.
UOp compare_casted_bool(const Match& m) {
  const Scalar& v = m[c].val();
  if (python_equal(v, Scalar(0))) return m[x];
  return python_equal(v, Scalar(1)) ? m[x].logical_not() : m[x].const_like(Scalar(true));
}

// Whether ANDing with `mask` leaves all bits from `low_bits` + 1 upwards.
bool clears_only_low_bits(const Scalar& mask, Int low_bits) {
  return (mask.as_int() | low_bits) == Int(-1);
}

UOp masked_shift(const Match& m) {
  const Int shift = m[k].val().as_int();
  return clears_only_low_bits(m[mask].val(), (Int(1) << shift) - Int(1)) ? m[x] >> m[k].val() : UOp{};
}

UOp masked_division(const Match& m) {
  const Int d = m[c].val().as_int();
  if (d <= Int(0) || !(d & (d - Int(1))).is_zero()) return {};
  return clears_only_low_bits(m[mask].val(), d - Int(1)) ? floordiv(m[x], m[c].val()) : UOp{};
}

}  // namespace

const RuleSet& self_folding() {
  static const RuleSet rules(
      "self_folding",
      {
          {"add-zero", "x + 0, x ^ 0 and x | 0 are x", "uop/symbolic.py:111",
           pat_permuted({Op::ADD, Op::XOR, Op::OR}, {var(x), cnst(0)}), the_x},
          {"shift-by-zero", "x << 0 and x >> 0 are x", "uop/symbolic.py:112",
           pat({Op::SHL, Op::SHR}, {var(x), cnst(0)}), the_x},
          {"mul-one", "x * 1 is x", "uop/symbolic.py:113", var(x) * Scalar(1), the_x},
          {"floordiv-itself", "x // x is 1", "uop/symbolic.py:114", floordiv(var(x), var(x)),
           [](const Match& m) { return m[x].const_like(Scalar(1)); }},
          {"floordiv-one", "x // 1 is x", "uop/symbolic.py:115", floordiv(var(x), Scalar(1)), the_x},
          {"floordiv-minus-one", "x // -1 is -x", "uop/symbolic.py:116", floordiv(var(x), Scalar(-1)),
           [](const Match& m) { return -m[x]; }},
          {"xor-twice", "(x ^ y) ^ y is x", "uop/symbolic.py:117", (var(x) ^ var(y)) ^ var(y), the_x},
          {"mod-twice", "(x % y) % y is x % y", "uop/symbolic.py:118", (var() % var(y)).named(base) % var(y),
           [](const Match& m) { return m[base]; }},
          {"recombine-div-mod", "(x % c) + (x // c) * c is x, and its variations", "uop/symbolic.py:120",
           pat(Op::ADD).with_dtype(DType::weakint).named(x),
           [](const Match& m) { return fold_add_divmod_recombine(m[x]); }},
          {"and-constant-bool", "x & True is x, x & False is False", "uop/symbolic.py:121", bool_x() & cvar(c),
           [](const Match& m) { return m[c].val().truthy() ? m[x] : m[c]; }},
          {"or-constant-bool", "x | True is True, x | False is x", "uop/symbolic.py:122", bool_x() | cvar(c),
           [](const Match& m) { return m[c].val().truthy() ? m[c] : m[x]; }},
          {"ne-false", "x != False is x", "uop/symbolic.py:123", bool_x().ne(cnst(false, DType::bool_)), the_x},
          {"idempotent", "x | x, x & x and max(x, x) are x", "uop/symbolic.py:124",
           pat(groups::Idempotent, {var(x), var(x)}), the_x},
          {"not-not", "not not x is x", "uop/symbolic.py:125", bool_x().logical_not().logical_not(), the_x},
          {"where-true-false", "True where x, else False, is x", "uop/symbolic.py:126",
           bool_x().where(cnst(true, DType::bool_), cnst(false, DType::bool_)), the_x},
          {"where-false-true", "False where x, else True, is not x", "uop/symbolic.py:127",
           bool_x().where(cnst(false, DType::bool_), cnst(true, DType::bool_)),
           [](const Match& m) { return m[x].logical_not(); }},
          {"compare-casted-bool", "a bool as an int is 0 or 1, so comparing it with a constant folds",
           "uop/symbolic.py:129", bool_x().cast(dtypes::ints_and_weakint).ne(cvar(c)), compare_casted_bool},
          {"trunc-int", "an int has nothing to truncate", "uop/symbolic.py:131", var(x, kIntsAndBool).trunc(), the_x},
      });
  return rules;
}

const RuleSet& zero_folding() {
  static const RuleSet rules(
      "zero_folding", {
                          {"lt-itself", "x < x is False", "uop/symbolic.py:133", var(x) < var(x), false_like_x},
                          {"mod-itself", "x % x is 0", "uop/symbolic.py:134", var(x) % var(x), zero_like_x},
                          {"xor-itself", "x ^ x is 0", "uop/symbolic.py:135", var(x) ^ var(x), zero_like_x},
                          {"and-zero", "x & 0 is 0", "uop/symbolic.py:136", var(x) & Scalar(0), zero_like_x},
                          {"masked-shift", "a mask that clears only the bits that are shifted out does nothing",
                           "uop/symbolic.py:138", (var(x) & cvar(mask)) >> cvar(k), masked_shift},
                          {"masked-division", "a mask that clears only the bits that are divided away does nothing",
                           "uop/symbolic.py:140", floordiv(var(x) & cvar(mask), cvar(c)), masked_division},
                          {"ne-itself", "x != x is False where there is no nan", "uop/symbolic.py:142",
                           var(x, kIntsAndBool).ne(var(x)), false_like_x},
                      });
  return rules;
}

}  // namespace rangescope::symbolic::families
