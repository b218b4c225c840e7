// Like terms of sums and factors of products.

#include "engine/symbolic/families.h"

namespace rangescope::symbolic::families {

namespace {

using namespace captures;

// y + x * (c + 1)
UOp one_more(const Match& m) {
  return m[y] + m[x] * (m[c] + Scalar(1));
}

}  // namespace

const RuleSet& combine_terms() {
  static const RuleSet rules(
      "combine_terms",
      {
          {"or-not", "x | not x is True", "uop/symbolic.py:231",
           var(x, DType::bool_) | var(x, DType::bool_).logical_not(),
           [](const Match& m) { return m[x].const_like(Scalar(true)); }},
          {"add-multiples", "x*c0 + x*c1 is x*(c0 + c1)", "uop/symbolic.py:233", var(x) * cvar(c0) + var(x) * cvar(c1),
           [](const Match& m) { return m[x] * (m[c0] + m[c1]); }},
          {"add-multiples-in-sum", "(y + x*c0) + x*c1 is y + x*(c0 + c1)", "uop/symbolic.py:234",
           (var(y) + var(x) * cvar(c0)) + var(x) * cvar(c1),
           [](const Match& m) { return m[y] + m[x] * (m[c0] + m[c1]); }},
          {"add-multiple", "x + x*c is x*(c + 1)", "uop/symbolic.py:235", var(x) + var(x) * cvar(c),
           [](const Match& m) { return m[x] * (m[c] + Scalar(1)); }},
          {"add-multiple-in-sum", "(y + x) + x*c is y + x*(c + 1)", "uop/symbolic.py:236",
           (var(y) + var(x)) + var(x) * cvar(c), one_more},
          {"add-to-multiple-in-sum", "(y + x*c) + x is y + x*(c + 1)", "uop/symbolic.py:237",
           (var(y) + var(x) * cvar(c)) + var(x), one_more},
          {"add-itself", "x + x is x*2", "uop/symbolic.py:238", var(x) + var(x),
           [](const Match& m) { return m[x] * Scalar(2); }},
          {"add-itself-in-sum", "(y + x) + x is y + x*2", "uop/symbolic.py:239", (var(y) + var(x)) + var(x),
           [](const Match& m) { return m[y] + m[x] * Scalar(2); }},
          {"merge-divisions", "(x / y) / z is x / (y*z)", "uop/symbolic.py:240", (var(x) / var(x2)) / var(x3),
           [](const Match& m) { return m[x2] == m[x3] ? UOp{} : m[x].div(m[x2] * m[x3]); }},
          {"negate-sum-with-constant", "-(x + c) is -x + -c", "uop/symbolic.py:241", Scalar(-1) * (var(x) + cvar(c)),
           [](const Match& m) {
             const UOp minus_x = -m[x];
             return minus_x + -m[c];
           }},
          {"distribute-over-constant", "y*(x + c) is y*x + y*c", "uop/symbolic.py:242",
           cvar(y) * (var(x, DType::weakint) + cvar(c)),
           [](const Match& m) {
             const UOp yx = m[y] * m[x];
             return yx + m[y] * m[c];
           }},
      });
  return rules;
}

}  // namespace rangescope::symbolic::families
