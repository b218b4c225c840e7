// Invalid poisons the value it meets: ops move inside the gate, so that the invalid value reaches the LOAD or STORE and
// folds there. These rules stand before the others so that 0 times something that may be invalid does not become 0.

#include "engine/symbolic/invalid.h"

#include <algorithm>

#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

namespace {

using namespace captures;

constexpr OpSet kUnaryOrCast = groups::Unary | OpSet{Op::CAST, Op::BITCAST};

UOp the_invalid(const Match& m) {
  return m[i];
}

Pat index_of_invalid() {
  return pat_any_length(Op::INDEX, {var(), invalid_pat()}).or_casted();
}

UOp zeros_for_invalid(const Match& m) {
  const UOp u = m[s];
  if (std::ranges::none_of(u.srcs(), [](UOp e) { return e.is_invalid(); })) return {};
  UOps parts;
  for (const UOp e : u.srcs()) parts.push_back(e.is_invalid() ? m.store().constant(Scalar(0), u.dtype()) : e);
  return u.with_srcs(parts);
}

}  // namespace

const RuleSet& pm_data_invalid() {
  static const RuleSet rules(
      "pm_data_invalid",
      {
          {"invalid-stack", "a stack of nothing but invalid values is invalid", "uop/symbolic.py:75",
           invalid_pat().broadcast(), the_invalid},
          {"invalid-unary", "an op on an invalid value is invalid", "uop/symbolic.py:76",
           pat(kUnaryOrCast, {invalid_pat()}), the_invalid},
          {"unary-into-gate", "an op on a gated value moves inside the gate", "uop/symbolic.py:77",
           pat(kUnaryOrCast, {invalid_gate()}).named(op),
           [](const Match& m) { return m[cond].where(m[op].with_srcs({m[x]}), m[i]); }},
          {"binary-into-left-gate", "an op whose left operand is gated moves inside the gate", "uop/symbolic.py:80",
           pat(groups::Binary, {invalid_gate(), var(y)}).named(alu),
           [](const Match& m) { return m[cond].where(m[x].alu(m[alu].op(), m[y]), m[i]); }},
          {"binary-into-right-gate", "an op whose right operand is gated moves inside the gate", "uop/symbolic.py:81",
           pat(groups::Binary, {var(y), invalid_gate()}).named(alu),
           [](const Match& m) { return m[cond].where(m[y].alu(m[alu].op(), m[x]), m[i]); }},
          {"invalid-operand", "a value computed from an invalid operand is invalid", "uop/symbolic.py:82",
           pat_permuted(groups::Binary - groups::Comparison, {invalid_pat(), var()}), the_invalid},
          {"invalid-condition", "a choice by an invalid condition is invalid", "uop/symbolic.py:84",
           invalid_pat().where(var(), var()), the_invalid},
          {"gated-condition", "the gate of a condition moves out of the choice", "uop/symbolic.py:85",
           invalid_gate().where(var(a), var(b)),
           [](const Match& m) { return m[cond].where(m[x].where(m[a], m[b]), m[i]); }},
          {"invalid-in-false-branch", "a gate has its invalid value in the false branch", "uop/symbolic.py:87",
           var(cond).where(invalid_pat(), var(val)),
           [](const Match& m) { return m[val].is_invalid() ? m[i] : m[cond].logical_not().where(m[val], m[i]); }},
          {"gate-out-of-true-branch", "the gate of the true branch moves out of the choice", "uop/symbolic.py:89",
           var(a).where(invalid_gate(), var(c)),
           [](const Match& m) {
             if (m[c].is_invalid()) return UOp{};
             return (m[a].logical_not() | m[cond]).where(m[a].where(m[x], m[c]), m[i]);
           }},
          {"gate-out-of-false-branch", "the gate of the false branch moves out of the choice", "uop/symbolic.py:91",
           var(a).where(var(b), invalid_gate()),
           [](const Match& m) {
             if (m[b].is_invalid()) return UOp{};
             return (m[a] | m[cond]).where(m[a].where(m[b], m[x]), m[i]);
           }},
          {"store-to-nowhere", "a store at an invalid index does nothing", "uop/symbolic.py:93",
           pat(Op::STORE, {index_of_invalid(), var()}),
           [](const Match& m) { return m.store().make(Op::NOOP, std::span<const UOp>{}); }},
          {"load-from-nowhere", "a load at an invalid index gives its alternative value, or 0", "uop/symbolic.py:94",
           pat_any_length(Op::LOAD, {index_of_invalid()}).named(x),
           [](const Match& m) { return m[x].src_count() > 1 ? m[x].src(1) : m[x].const_like(Scalar(0)); }},
      });
  return rules;
}

const RuleSet& pm_remove_invalid() {
  static const RuleSet rules(
      "pm_remove_invalid", {
                               {"gate-to-zero", "a gated value is 0 where its condition fails", "uop/symbolic.py:99",
                                invalid_gate().named(w),
                                [](const Match& m) {
                                  return m[w].with_srcs({m[cond], m[x], m[w].const_like(Scalar(0))});
                                }},
                               {"invalid-element-to-zero", "an invalid element of a stack is 0", "uop/symbolic.py:100",
                                pat(Op::STACK).named(s), zeros_for_invalid},
                           });
  return rules;
}

}  // namespace rangescope::symbolic
