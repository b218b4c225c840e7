// Choices: same branches, known conditions, nested conditions.

#include <algorithm>
#include <array>

#include "engine/rewrite/driver.h"
#include "engine/symbolic/families.h"
#include "engine/symbolic/weak.h"

namespace rangescope::symbolic::families {

namespace {

using namespace captures;

// A weak constant branch takes the dtype of the choice.
UOp known_condition(const Match& m) {
  const UOp branch = m[gate].val().truthy() ? m[c0] : m[c1];
  return branch.is_const() && branch.is_weak() && !m[w].is_weak() ? commit_weak(branch, m[w].dtype()) : branch;
}

// In the true branch the condition is true, in the false branch false. Index gates belong to the rules on valid
// indices.
UOp condition_within_branches(const Match& m) {
  const UOp c = m[cond];
  const UOp yes = m[t];
  const UOp no = m[f];
  for (const UOp u : {c, yes, no})
    if (u.op_in_backward_slice_with_self(Op::INDEX)) return {};
  if (!yes.in_backward_slice_with_self(c) && !no.in_backward_slice_with_self(c)) return {};
  const auto with = [&](UOp branch, bool value) {
    const std::array<std::pair<UOp, UOp>, 1> map{{{c, c.const_like(Scalar(value))}}};
    return substitute(branch, map);
  };
  const UOp given_true = with(yes, true);
  return c.where(given_true, with(no, false));
}

bool both_const(UOp p, UOp q) {
  return p.is_const() && q.is_const();
}

UOp merge_choices(const Match& m) {
  if (!both_const(m[t], m[tt]) && !both_const(m[f], m[ff])) return {};
  const Op o = m[alu].op();
  const UOp yes = m[t].alu(o, m[tt]);
  return m[c].where(yes, m[f].alu(o, m[ff]));
}

UOp merge_choices_in_sum(const Match& m) {
  if (!both_const(m[t], m[tt]) && !both_const(m[f], m[ff])) return {};
  const UOp yes = m[t] + m[tt];
  return m[y] + m[c].where(yes, m[f] + m[ff]);
}

}  // namespace

const RuleSet& simple_where() {
  static const RuleSet rules(
      "simple_where", {
                          {"same-branches", "a choice between equal values is the value", "uop/symbolic.py:185",
                           var().where(var(val), var(val)), [](const Match& m) { return m[val]; }},
                          {"known-condition", "a choice by a constant is the branch it picks", "uop/symbolic.py:186",
                           cvar(gate).where(var(c0), var(c1)).named(w), known_condition},
                          {"nested-and", "c where a and b, else d", "uop/symbolic.py:188",
                           var(a).where(var(b).where(var(c), var(d)), var(d)),
                           [](const Match& m) { return (m[a] & m[b]).where(m[c], m[d]); }},
                          {"nested-or", "c where a or b, else d", "uop/symbolic.py:190",
                           var(a).where(var(c), var(b).where(var(c), var(d))),
                           [](const Match& m) { return (m[a] | m[b]).where(m[c], m[d]); }},
                      });
  return rules;
}

const RuleSet& where_folding() {
  static const Pat first = var(c).where(var(t), var(f));
  static const Pat second = var(c).where(var(tt), var(ff));
  static const RuleSet rules(
      "where_folding",
      {
          {"negated-condition", "a choice by not c swaps the branches", "uop/symbolic.py:244",
           var(cond, DType::bool_).logical_not().where(var(t), var(f)),
           [](const Match& m) { return m[f].is_invalid() ? UOp{} : m[cond].where(m[f], m[t]); }},
          {"condition-within-branches", "within a branch the condition is known", "uop/symbolic.py:247",
           var(cond, DType::bool_).where(var(t), var(f)), condition_within_branches},
          {"merge-choices", "an op on two choices by one condition is one choice, where a branch folds",
           "uop/symbolic.py:249", pat(groups::Binary, {first, second}).named(alu), merge_choices},
          {"merge-choices-in-sum", "two choices by one condition in a sum are one, where a branch folds",
           "uop/symbolic.py:252", (var(y) + first) + second, merge_choices_in_sum},
          {"complementary-choices", "t where c plus f where not c is a choice between them", "uop/symbolic.py:255",
           var(c).where(var(t), cnst(0)) + var(c).where(cnst(0), var(f)),
           [](const Match& m) { return m[c].where(m[t], m[f]); }},
      });
  return rules;
}

}  // namespace rangescope::symbolic::families
