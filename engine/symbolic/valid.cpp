// A condition bounds expressions; an index, or another condition, can be simplified within these bounds.

#include "engine/symbolic/valid.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/store.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"
#include "engine/symbolic/invalid.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

std::optional<ValidBound> parse_valid(UOp v) {
  if (v.is(Op::CMPNE) && v.src(1).is_const() && python_equal(v.src(1).val(), Scalar(1)) && v.src(0).is(Op::CMPLT) &&
      is_int(v.src(0).src(0).dtype()))
    return ValidBound{v.src(0).src(0), false, v.src(0).src(1).vmin().to_int()};
  if (v.is(Op::CMPLT) && is_int(v.src(0).dtype())) {
    if (v.src(0).is_const()) return ValidBound{v.src(1), false, v.src(0).val().to_int() + Int(1)};
    return ValidBound{v.src(0), true, v.src(1).vmax().to_int() - Int(1)};
  }
  return std::nullopt;
}

namespace {

using Substitution = std::pair<UOp, UOp>;

// An expression that clauses bound, in the order in which the expressions were first seen.
struct Bounded {
  UOp expr;
  std::optional<Int> lower, upper;
};

std::vector<Bounded> parse_bounds(UOp valid) {
  std::vector<Bounded> bounds;
  for (const UOp clause : valid.split(Op::AND)) {
    const std::optional<ValidBound> b = parse_valid(clause);
    if (!b) continue;
    auto it = std::ranges::find(bounds, b->expr, &Bounded::expr);
    if (it == bounds.end()) it = bounds.insert(bounds.end(), {b->expr, std::nullopt, std::nullopt});
    (b->is_upper ? it->upper : it->lower) = b->limit;
  }
  return bounds;
}

UOp substitute_one(UOp u, UOp from, UOp to) {
  const Substitution map[] = {{from, to}};
  return substitute(u, map);
}

// `u` once each of the branches' variables stands for its expression, one branch at a time: the common result.
UOp try_branches(UOp u, const std::vector<Substitution>& branches) {
  for (const auto& [expr, variable] : branches)
    if (!u.in_backward_slice_with_self(expr)) return u;
  UOps results;
  for (const auto& [expr, variable] : branches)
    results.push_back(substitute_one(substitute_one(u, expr, variable).simplify(), variable, expr).simplify());
  const auto all_same = [&](auto part) {
    return std::ranges::all_of(results, [&](UOp r) { return part(r) == part(results.at(0)); });
  };
  if (all_same([](UOp r) { return r; })) return results.at(0);
  if (!u.is(Op::STACK) || u.src_count() != 2) return u;
  if (all_same([](UOp r) { return r.src(0); })) u = u.with_srcs({results[0].src(0), u.src(1)});
  if (all_same([](UOp r) { return r.src(1); })) u = u.with_srcs({u.src(0), results[0].src(1)});
  return u;
}

// Where the clause says x0 + x1 + ... > 0 with irreducible terms: each term above 0, one branch a term.
std::vector<Substitution> simplex_branches(UOp expr, const Scalar& lower, const std::string& name) {
  std::vector<Substitution> branches;
  if (!expr.is(Op::ADD) || !python_equal(lower, Scalar(1))) return branches;
  for (const UOp x : expr.split(Op::ADD)) {
    if (!x.in(groups::Irreducible)) return {};
    branches.emplace_back(x, x.store().variable(name, Scalar(1), x.vmax(), x.dtype(), true));
  }
  return branches;
}

}  // namespace

UOp uop_given_valid(UOp valid, UOp u, bool try_simplex) {
  std::vector<Substitution> whole;
  const std::vector<Bounded> bounds = parse_bounds(valid);
  for (size_t i = 0; i < bounds.size(); ++i) {
    const UOp expr = bounds[i].expr;
    const Scalar lower = bounds[i].lower ? Scalar(*bounds[i].lower) : expr.vmin();
    const Scalar upper = bounds[i].upper ? Scalar(*bounds[i].upper) : expr.vmax();
    const std::string name = fmt::format("fake{}", i);
    whole.emplace_back(expr, u.store().variable(name, lower, upper, expr.dtype(), true));
    if (!try_simplex) continue;
    u = try_branches(u, {whole.back()});
    if (const auto branches = simplex_branches(expr, lower, name); !branches.empty()) u = try_branches(u, branches);
  }
  const UOp substituted = substitute(u, whole);
  if (substituted == u) return u;
  std::vector<Substitution> back;
  back.reserve(whole.size());
  for (const auto& [expr, variable] : whole) back.emplace_back(variable, expr);
  return substitute(substituted.simplify(), back).simplify();
}

namespace {

// Clauses on what many other clauses contain come first: they help to simplify those.
int64_t priority(UOp clause, const UOps& clauses) {
  const std::optional<ValidBound> b = parse_valid(clause);
  if (!b) return 0;
  return -std::ranges::count_if(clauses, [&](UOp other) { return other.in_backward_slice_with_self(b->expr); });
}

UOp product(const UOps& factors) {
  return factors[0].uprod(std::span(factors).subspan(1));
}

// keep[0] & keep[1] & ... as the reference builds it: a constant True first.
UOp conjunction(Store& store, const UOps& clauses) {
  return store.constant(Scalar(true)).uprod(clauses);
}

}  // namespace

UOp simplify_valid(UOp valid) {
  // Conditions on loaded values are not index arithmetic.
  if (valid.op_in_backward_slice_with_self(Op::INDEX)) return {};
  UOps clauses = valid.split(Op::AND);
  std::vector<std::pair<int64_t, UOp>> ordered;
  for (const UOp c : clauses) ordered.emplace_back(priority(c, clauses), c);
  std::ranges::stable_sort(ordered, {}, &std::pair<int64_t, UOp>::first);
  std::ranges::transform(ordered, clauses.begin(), &std::pair<int64_t, UOp>::second);
  UOps kept;
  Marks seen(valid.store());
  for (UOp clause : clauses) {
    if (!seen.insert(clause)) continue;
    if (!kept.empty()) clause = uop_given_valid(product(kept), clause);
    kept.push_back(clause);
  }
  return kept == clauses ? UOp{} : product(kept);
}

namespace {

// Clauses on ranges that the guarded value does not depend on are dropped.
UOp drop_and_clauses(UOp cond, UOp x, UOp invalid) {
  UOps keep;
  bool dropped = false;
  for (const UOp clause : cond.split(Op::AND)) {
    if (std::ranges::any_of(clause.ranges(), [&](UOp r) { return x.has_range(r); }))
      keep.push_back(clause);
    else
      dropped = true;
  }
  return dropped ? conjunction(cond.store(), keep).where(x, invalid) : UOp{};
}

UOp gated_given_valid(UOp cond, UOp x, UOp invalid) {
  // Index math only: a load in x is executed even where cond is false, so its own condition must survive.
  if (x.dtype() != DType::weakint || x.op_in_backward_slice_with_self(Op::INDEX)) return {};
  return cond.where(uop_given_valid(cond, x, false), invalid);
}

// Clauses of a where around a load move into the load's condition, unless they are there already or depend on more
// than the index does.
UOp where_on_load(UOp cond, UOp buf, UOp idx, UOp or_cast) {
  Store& store = cond.store();
  const UOps clauses = cond.split(Op::AND);
  const UOp load_valid = idx.get_valid();
  const UOps in_load = load_valid.split(Op::AND);
  Marks below_idx(store);
  for (const UOp u : toposort(idx)) below_idx.insert(u);
  const auto can_move = [&](UOp clause) {
    if (!std::ranges::all_of(clause.ranges(), [&](UOp r) { return idx.has_range(r); })) return false;
    if (!clause.op_in_backward_slice_with_self(Op::INDEX)) return true;
    return std::ranges::all_of(toposort(clause), [&](UOp u) { return !u.is(Op::INDEX) || below_idx.contains(u); });
  };
  UOps moved;
  UOps keep;
  for (const UOp clause : clauses) {
    if (std::ranges::find(in_load, clause) != in_load.end()) continue;
    (can_move(clause) ? moved : keep).push_back(clause);
  }
  if (keep.size() == clauses.size()) return {};
  const UOp load = buf.index({idx.get_idx().valid(load_valid.uprod(moved))});
  const UOp value = or_cast.is(Op::CAST) ? load.cast(or_cast.dtype()) : load;
  return conjunction(store, keep).where(value, value.const_like(Scalar(0)));
}

using namespace captures;

Pat gated_load() {
  return var(buf).index({var(idx)}).or_casted(or_cast);
}

}  // namespace

const RuleSet& pm_drop_and_clauses() {
  static const RuleSet rules(
      "pm_drop_and_clauses",
      {{"drop-unrelated-clauses", "a condition forgets the clauses on ranges its value does not use",
        "uop/symbolic.py:73", invalid_gate(), [](const Match& m) { return drop_and_clauses(m[cond], m[x], m[i]); }}});
  return rules;
}

const RuleSet& pm_move_where_on_load() {
  static const RuleSet rules(
      "pm_move_where_on_load",
      {
          {"move-where-into-load", "a where that gives 0 around a load becomes the load's own condition",
           "uop/symbolic.py:413", var(cond).where(gated_load(), cnst(0)),
           [](const Match& m) { return where_on_load(m[cond], m[buf], m[idx], m[or_cast]); }},
          {"move-inverted-where-into-load", "the same for a where that gives 0 where its condition holds",
           "uop/symbolic.py:414", var(cond).where(cnst(0), gated_load()),
           [](const Match& m) { return where_on_load(m[cond].logical_not(), m[buf], m[idx], m[or_cast]); }},
      });
  return rules;
}

const RuleSet& pm_simplify_valid() {
  static const RuleSet rules(
      "pm_simplify_valid",
      {
          {"simplify-valid", "each clause of a condition is simplified under the clauses before it",
           "uop/symbolic.py:427", pat(Op::AND).named(valid), [](const Match& m) { return simplify_valid(m[valid]); }},
          {"simplify-index-under-valid", "an index is simplified under the condition that guards it",
           "uop/symbolic.py:73", invalid_gate(), [](const Match& m) { return gated_given_valid(m[cond], m[x], m[i]); }},
      });
  return rules;
}

}  // namespace rangescope::symbolic
