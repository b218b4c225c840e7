// What follows from the least and the greatest value of an expression.

#include "engine/symbolic/families.h"

namespace rangescope::symbolic::families {

namespace {

using namespace captures;

UOp single_value(const Match& m) {
  const Bounds& b = m.root().bounds();
  return python_equal(b.min, b.max) ? m.root().const_like(b.min) : UOp{};
}

// a >= b; never where one is nan.
bool at_least(const Scalar& p, const Scalar& q) {
  return !p.is_nan() && !q.is_nan() && !python_less(p, q);
}

UOp decided_max(const Match& m) {
  const Bounds& p = m[x].bounds();
  const Bounds& q = m[y].bounds();
  if (at_least(p.min, q.max)) return m[x];
  return at_least(q.min, p.max) ? m[y] : UOp{};
}

}  // namespace

const RuleSet& bounds_folding() {
  static const RuleSet rules(
      "bounds_folding",
      {
          {"single-value", "what can have one value only is that value", "uop/symbolic.py:257",
           pat({Op::CMPLT, Op::CMPNE, Op::FLOORDIV, Op::FLOORMOD, Op::PARAM, Op::AFTER, Op::SPECIAL}).named(x),
           single_value},
          {"single-iteration", "a range of one iteration is 0", "uop/symbolic.py:259",
           pat_repeated(Op::RANGE, pat(Op::CONST)).named(x), single_value},
          {"max-from-lower-bound", "x where x > c, else c, is max(c, x)", "uop/symbolic.py:261",
           (cvar(a) < var(b)).where(var(b), cvar(c)),
           [](const Match& m) { return python_equal(m[a].val(), m[c].val()) ? m[a].maximum(m[b]) : UOp{}; }},
          {"max-from-upper-bound", "c where x < c, else x, is max(x, c)", "uop/symbolic.py:262",
           (var(a) < cvar(b)).where(cvar(c), var(a)),
           [](const Match& m) { return python_equal(m[b].val(), m[c].val()) ? m[a].maximum(m[b]) : UOp{}; }},
          {"decided-max", "the maximum is the operand that is never the smaller", "uop/symbolic.py:263",
           var(x).maximum(var(y)), decided_max},
      });
  return rules;
}

const RuleSet& range_divided_by_its_end() {
  static const Pat range = pat_repeated(Op::RANGE, var(captures::end)).named(r);
  static const RuleSet rules(
      "range_divided_by_its_end",
      {
          {"range-mod-end", "a range modulo its own end is the range", "uop/symbolic.py:290",
           range % var(captures::end), [](const Match& m) { return m[r]; }},
          {"range-div-end", "a range divided by its own end is 0", "uop/symbolic.py:291",
           floordiv(range, var(captures::end)), [](const Match& m) { return m[r].const_like(Scalar(0)); }},
      });
  return rules;
}

}  // namespace rangescope::symbolic::families
