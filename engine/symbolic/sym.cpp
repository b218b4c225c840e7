// What `sym` adds to `symbolic`: conditions of loads and stores, multiplications moved out of reductions, and terms
// combined in one opinionated way (reference: uop/symbolic.py, phase 3).

#include <algorithm>

#include "engine/ir/error.h"
#include "engine/ir/store.h"
#include "engine/symbolic/invalid.h"
#include "engine/symbolic/reduce.h"
#include "engine/symbolic/symbolic.h"
#include "engine/symbolic/transcendental.h"
#include "engine/symbolic/weak.h"

namespace rangescope::symbolic {

namespace {

using namespace captures;

// As Python's math.prod(): it starts at 1, and the 1 stays in the expression.
UOp product_from_one(const UOps& factors) {
  UOp r = binop(Op::MUL, Scalar(1), factors[0]);
  for (const UOp u : std::span(factors).subspan(1)) r = r * u;
  return r;
}

UOps with_first(UOp first, std::span<const UOp> srcs) {
  UOps all(srcs.begin(), srcs.end());
  all[0] = first;
  return all;
}

// Factors that do not depend on the reduced ranges move out; out of a maximum only those that are not negative.
UOp reduce_mul_chain(UOp r) {
  const Op op = r.arg().as_tuple().at(0).as<Op>();
  if (op != Op::ADD && op != Op::MAX) return {};
  if (r.dtype() != r.src(0).dtype()) return {};
  const auto ranges = r.srcs().subspan(1);
  UOps inside;
  UOps outside;
  for (const UOp m : r.src(0).split(Op::MUL)) {
    const bool depends = std::ranges::any_of(ranges, [&](UOp x) { return m.in_backward_slice_with_self(x); });
    const Scalar low = op == Op::MAX ? m.vmin() : Scalar(0);
    const bool keeps_order = !low.is_nan() && !python_less(low, Scalar(0));
    (!depends && keeps_order ? outside : inside).push_back(m);
  }
  if (outside.empty()) return {};
  const UOp rest = inside.empty() ? r.src(0).const_like(Scalar(1)) : product_from_one(inside);
  return r.with_srcs(with_first(rest, r.srcs())) * product_from_one(outside);
}

UOp store_gated(UOp target, UOp gate, UOp value) {
  return target.src(0).index({target.src(1).valid(gate)}).store_value(value);
}

UOp nothing(const Match& m) {
  return m.store().make(Op::NOOP, {});
}

// x * 1/(1 + x) and what it is multiplied with or added to
Pat reciprocal_of_one_plus_x() {
  return (Scalar(1) + var(x)).reciprocal().named(d);
}

Pat index_pat() {
  return pat(Op::INDEX).named(index);
}

const RuleSet& sym_rows() {
  static const RuleSet rules(
      "sym_rows",
      {
          // ** order of ALU and STACK
          {"alu-of-stacks", "an operation on stacks of one value each is a stack of the operation",
           "uop/symbolic.py:443",
           pat(groups::ALU, {pat_repeated(Op::STACK, var(x)), pat_repeated(Op::STACK, var(y))}).named(alu),
           [](const Match& m) {
             Store& store = m.store();
             return store.make(Op::STACK, {store.make(m[alu].op(), {m[x], m[y]})});
           }},
          // ** where, pow
          {"cast-into-where", "a cast moves into the branches of a where", "uop/symbolic.py:447",
           var(s).where(var(a), var(b)).cast().named(cast),
           [](const Match& m) {
             const DType to = m[cast].dtype();
             return m[s].where(commit_weak(m[a], to), commit_weak(m[b], to));
           }},
          {"pow-by-exp2", "a power is computed by exp2 and log2", "uop/symbolic.py:450", pat(Op::POW).named(p),
           [](const Match& m) { return xpow(m[p].src(0), m[p].src(1)); }},
          // ** loads and stores
          {"store-of-own-load", "storing what was loaded from the same place does nothing", "uop/symbolic.py:452",
           index_pat().store(index_pat().load()), nothing},
          {"store-of-where-own-load", "a store that keeps the old value where a condition fails is a store under it",
           "uop/symbolic.py:453", index_pat().store(var(gate).where(var(alt), index_pat().load())),
           [](const Match& m) { return store_gated(m[index], m[gate], m[alt]); }},
          {"store-of-invalid", "storing the invalid value does nothing", "uop/symbolic.py:457",
           pat(Op::STORE, {var(), invalid_pat()}), nothing},
          {"store-of-where-invalid", "a store of a value that is invalid elsewhere is a store under its condition",
           "uop/symbolic.py:459", pat(Op::STORE, {index_pat(), var(cond).where(var(val), invalid_pat())}),
           [](const Match& m) { return store_gated(m[index], m[cond], m[val]); }},
          // ** reciprocals
          {"reciprocal-of-square", "1/(x*x) is 1/x * 1/x", "uop/symbolic.py:461", (var(x) * var(x)).reciprocal(),
           [](const Match& m) { return m[x].reciprocal() * m[x].reciprocal(); }},
          {"reciprocal-of-cube", "1/(x*x*x) is 1/x * 1/x * 1/x", "uop/symbolic.py:462",
           (var(x) * var(x) * var(x)).reciprocal(),
           [](const Match& m) { return m[x].reciprocal() * m[x].reciprocal() * m[x].reciprocal(); }},
          {"reciprocal-of-scaled", "1/(x*c) is 1/x * 1/c", "uop/symbolic.py:463", (var(x) * cvar(c)).reciprocal(),
           [](const Match& m) { return m[x].reciprocal() * m[c].reciprocal(); }},
          {"sigmoid-tail", "x/(1+x) is 1 - 1/(1+x)", "uop/symbolic.py:464", var(x) * reciprocal_of_one_plus_x(),
           [](const Match& m) { return Scalar(1) - m[d]; }},
          {"sigmoid-tail-times", "x * (1/(1+x) * y) is y * (1 - 1/(1+x))", "uop/symbolic.py:465",
           var(x) * (reciprocal_of_one_plus_x() * var(y)), [](const Match& m) { return m[y] * (Scalar(1) - m[d]); }},
          {"sigmoid-tail-plus", "x * (1/(1+x) + y) is 1 - 1/(1+x) + x*y", "uop/symbolic.py:466",
           var(x) * (reciprocal_of_one_plus_x() + var(y)),
           [](const Match& m) { return (Scalar(1) - m[d]) + m[x] * m[y]; }},
          // ** multiplications under a reduction
          {"const-factor-out-of-sum", "a constant factor moves out of a sum", "uop/symbolic.py:468",
           (var(x) * cvar(c)).reduce().with_arg(sum_arg()).any_length().named(r),
           [](const Match& m) { return m[r].with_srcs(with_first(m[x], m[r].srcs())) * m[c].val(); }},
          {"factors-out-of-reduce", "factors that do not depend on the reduced ranges move out of a reduction",
           "uop/symbolic.py:470", pat(Op::MUL).reduce().any_length().named(r),
           [](const Match& m) { return reduce_mul_chain(m[r]); }},
          // ** terms
          {"negate-sum", "-(x + y) is -x + -y", "uop/symbolic.py:472", Scalar(-1) * (var(x) + var(y)),
           [](const Match& m) { return (-m[x]) + (-m[y]); }},
          {"scale-index-sum", "(x + y)*c is x*c + y*c for indices; a float could be infinite", "uop/symbolic.py:474",
           (var(x, DType::weakint) + var(y)) * cvar(c), [](const Match& m) { return m[x] * m[c] + m[y] * m[c]; }},
      });
  return rules;
}

}  // namespace

const RuleSet& sym() {
  static const RuleSet rules("sym", {&symbolic(), &pm_simplify_valid(), &sym_rows(), &pm_clean_up_group_sink()});
  return rules;
}

}  // namespace rangescope::symbolic
