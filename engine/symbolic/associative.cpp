// Constants of nested ops meet each other, and move to the end.

#include "engine/symbolic/families.h"

namespace rangescope::symbolic::families {

namespace {

using namespace captures;

Pat two_stage(Op op) {
  return var(x).alu(op, {cvar(c1)}).alu(op, {cvar(c2)}).named(f);
}
UOp merge_constants(const Match& m) {
  const Op o = m[f].op();
  return m[x].alu(o, m[c1].alu(o, m[c2]));
}

}  // namespace

const RuleSet& two_stage_alu() {
  static const RuleSet rules(
      "two_stage_alu",
      {
          {"merge-added-constants", "(x + c1) + c2 is x + (c1 + c2)", "uop/symbolic.py:267", two_stage(Op::ADD),
           merge_constants},
          {"merge-constant-factors", "(x * c1) * c2 is x * (c1 * c2)", "uop/symbolic.py:267", two_stage(Op::MUL),
           merge_constants},
          {"merge-max-constants", "max(max(x, c1), c2) is max(x, max(c1, c2))", "uop/symbolic.py:267",
           two_stage(Op::MAX), merge_constants},
          {"merge-or-constants", "(x | c1) | c2 is x | (c1 | c2)", "uop/symbolic.py:267", two_stage(Op::OR),
           merge_constants},
          {"merge-and-constants", "(x & c1) & c2 is x & (c1 & c2)", "uop/symbolic.py:267", two_stage(Op::AND),
           merge_constants},
          {"merge-constant-divisors", "(x // c1) // c2 is x // (c1 * c2) for a positive c2", "uop/symbolic.py:270",
           floordiv(floordiv(var(x), cvar(c1)), cvar(c2)),
           [](const Match& m) { return python_less(Scalar(0), m[c2].vmin()) ? floordiv(m[x], m[c1] * m[c2]) : UOp{}; }},
      });
  return rules;
}

// This happens before constants fold.
const RuleSet& constants_last() {
  static const RuleSet rules(
      "constants_last",
      {
          {"added-constant-last", "(x + c) + y is (x + y) + c", "uop/symbolic.py:281", (var(x) + cvar(c1)) + var(y),
           [](const Match& m) { return m[y].is_const() ? UOp{} : (m[x] + m[y]) + m[c1]; }},
          {"constant-factor-last", "(x * c) * y is (x * y) * c", "uop/symbolic.py:282", (var(x) * cvar(c1)) * var(y),
           [](const Match& m) { return m[y].is_const() ? UOp{} : (m[x] * m[y]) * m[c1]; }},
      });
  return rules;
}

}  // namespace rangescope::symbolic::families
