#include "engine/symbolic/reduce.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/error.h"
#include "engine/ir/store.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"
#include "engine/symbolic/invalid.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

Arg sum_arg() {
  return Arg(Arg::Tuple{Arg(Op::ADD), Arg(0)});
}

namespace {

using namespace captures;

bool no_range(UOp u) {
  return !u.op_in_backward_slice_with_self(Op::RANGE);
}
bool no_load(UOp u) {
  return !u.op_in_backward_slice_with_self(Op::INDEX);
}

// A sum over any number of ranges.
Pat sum_of(const Pat& value) {
  return value.reduce().with_arg(sum_arg()).any_length();
}
// A sum over the range `r`.
Pat sum_over_r(const Pat& value) {
  return pat(Op::REDUCE, {value, var(r)}).with_arg(sum_arg());
}

UOp sum_like(UOp reduce, UOp value) {
  return value.reduce_op(reduce.srcs().subspan(1), Op::ADD);
}

// A range that the value does not depend on repeats it: a factor of a sum, a power of a product, nothing to a maximum.
UOp reduce_unparented(UOp red) {
  const Op op = red.arg().as_tuple().at(0).as<Op>();
  if (!groups::Reduce.contains(op)) return {};
  UOps kept{red.src(0)};
  UOps dropped;
  for (const UOp x : red.srcs().subspan(1)) {
    if (!x.is(Op::RANGE)) throw GraphError("a reduction lists a source that is no range");
    (red.src(0).has_range(x) ? kept : dropped).push_back(x);
  }
  if (dropped.empty()) return {};
  UOp result = kept.size() > 1 || red.dtype() != red.src(0).dtype() ? red.with_srcs(kept) : red.src(0);
  for (const UOp x : dropped) {
    if (op == Op::ADD) result = result * x.src(0);
    if (op == Op::MUL) result = binop(Op::POW, result, x.src(0));
  }
  return result;
}

// sum of val over the r in [0, N) with lower <= r < upper
UOp sum_of_gated_value(const Match& m) {
  if (!no_range(m[val])) return {};
  const UOp size = m[r].src(0);
  const UOp to = m[upper] ? m[upper].minimum(size) : size;
  const UOp from = m[lower] ? binop(Op::MAX, m[lower], Scalar(0)) : m[r].const_like(Scalar(0));
  return binop(Op::MAX, to - from, Scalar(0)).minimum(size) * m[val];
}

// sum over r of (idx == r ? expr : 0): expr at r = idx where that is a possible r
UOp sum_of_one_element(const Match& m) {
  const UOp at = m[idx].cast(m[r].dtype());
  const UOp in_range = ge(at, Scalar(0)) & lt(at, m[r].src(0));
  const std::pair<UOp, UOp> map[] = {{m[r], at.valid(in_range)}};
  return in_range.where(substitute(m[captures::expr], map), Scalar(0));
}

// The value to sum as an expression of the range alone: all it takes from outside becomes variables.
struct Isolated {
  UOp value;
  std::vector<std::pair<UOp, UOp>> variables;  // variable -> what it stands for
};
std::optional<Isolated> isolate(UOp value, UOp range) {
  const UOps included = toposort(value, [&](UOp x) { return x.has_range(range); });
  Marks inside(value.store());
  for (const UOp x : included) {
    if (x.in({Op::STORE, Op::REDUCE})) return std::nullopt;
    inside.insert(x);
  }
  Isolated out;
  NodeMap replaces;
  for (const UOp x : included) {
    for (const UOp s : x.srcs()) {
      if (inside.contains(s) || s.in({Op::CONST, Op::PARAM, Op::BUFFER}) || replaces.contains(s)) continue;
      const UOp variable =
          s.store().variable(fmt::format("in{}", replaces.size()), s.vmin(), s.vmax(), s.dtype(), true);
      replaces.set(s, variable);
      out.variables.emplace_back(variable, s);
    }
  }
  out.value = substitute(value, replaces);
  return out;
}

// The sum over each range in turn, where the rules find a closed form for it.
UOp collapse(UOp red, UOp value, const RuleSet& rules) {
  RewriteOptions options;
  options.name = "reduce_collapse";
  for (const UOp range : red.srcs().subspan(1)) {
    const std::optional<Isolated> isolated = isolate(value, range);
    if (!isolated) return {};
    const UOp closed = graph_rewrite(isolated->value.reduce_op({&range, 1}, Op::ADD), rules, options);
    if (!no_range(closed)) return {};
    value = substitute(closed, isolated->variables);
  }
  return value;
}

const RuleSet& reduce_collapse_rows() {
  static const RuleSet rules(
      "reduce_collapse_rows",
      {
          {"lift-add-out-of-lt",
           "x + y < c is x < c - y where y and c have no range; unsigned sums that wrap are moved too, as in the "
           "reference",
           "codegen/simplify.py:101", (var(x) + var(y)).or_casted() < var(c),
           [](const Match& m) { return no_range(m[y]) && no_range(m[c]) ? lt(m[x], m[c] - m[y]) : UOp{}; }},
          {"lift-mul-out-of-lt", "x*y < c is x < (c + y - 1)//y where y is above 0 and y and c have no range",
           "codegen/simplify.py:103", (var(x) * var(y)) < var(c),
           [](const Match& m) -> UOp {
             if (!no_range(m[y]) || !no_range(m[c]) || !is_int(m[y].dtype()) || !python_less(Scalar(0), m[y].vmin()))
               return {};
             return lt(m[x], floordiv(m[c] + m[y] - Scalar(1), m[y]));
           }},
          {"sum-of-gated-value", "a sum of one value over a part of a range is the size of the part times the value",
           "codegen/simplify.py:110",
           sum_over_r(any_of({
               (pat(Op::RANGE).named(r) < var(upper)).where(var(val), cnst(0)),
               (pat(Op::RANGE).named(r) < var(lower)).where(cnst(0), var(val)),
               ((var(r) < var(lower)).logical_not() & (pat(Op::RANGE).named(r) < var(upper))).where(var(val), cnst(0)),
           })),
           sum_of_gated_value},
          {"sum-of-invalid-gate", "a validity that has no range moves out of a sum", "codegen/simplify.py:113",
           sum_of(invalid_gate()).named(r),
           [](const Match& m) { return no_range(m[cond]) ? m[cond].where(sum_like(m[r], m[x]), m[i]) : UOp{}; }},
          {"sum-of-sum", "a sum of x + y is the sum of x plus the sum of y", "codegen/simplify.py:115",
           sum_of(var(x) + var(y)).named(r),
           [](const Match& m) { return sum_like(m[r], m[x]) + sum_like(m[r], m[y]); }},
          {"sum-of-param-and-gate", "a parameter in the gate of a sum becomes a factor", "codegen/simplify.py:118",
           sum_of((pat(Op::PARAM).named(x) & var(y)).where(var(c), cnst(0))).named(r),
           [](const Match& m) { return sum_like(m[r], m[y].where(m[c], Scalar(0))) * m[x]; }},
          {"mul-by-casted-bool", "x times a bool is x where it holds, else 0", "codegen/simplify.py:121",
           var(x) * var(gate, DType::bool_).cast(), [](const Match& m) { return m[gate].where(m[x], Scalar(0)); }},
      });
  return rules;
}

const RuleSet& reduce_load_collapse_rows() {
  static const RuleSet rules(
      "reduce_load_collapse_rows",
      {
          {"lift-add-out-of-ne", "x + y != c is x != c - y where y and c have no range", "codegen/simplify.py:126",
           (var(x) + var(y)).or_casted().ne(var(c)),
           [](const Match& m) {
             return no_range(m[y]) && no_range(m[c]) ? m[x].ne(m[c].cast(m[y].dtype()) - m[y]) : UOp{};
           }},
          {"sum-of-one-element", "a sum that keeps one element of a range is that element", "codegen/simplify.py:128",
           sum_over_r(var(idx).ne(pat(Op::RANGE).named(r).or_casted()).where(cnst(0), var(captures::expr))),
           sum_of_one_element},
      });
  return rules;
}

}  // namespace

const RuleSet& pm_reduce_unparented() {
  static const RuleSet rules("pm_reduce_unparented",
                             {{"reduce-unparented", "a reduction forgets the ranges that its value does not depend on",
                               "codegen/simplify.py:96", pat(Op::REDUCE).named(red),
                               [](const Match& m) { return reduce_unparented(m[red]); }}});
  return rules;
}

const RuleSet& pm_reduce_collapse() {
  static const RuleSet rules("pm_reduce_collapse", {&pm_reduce_unparented(), &reduce_collapse_rows(), &symbolic()});
  return rules;
}

const RuleSet& pm_reduce_load_collapse() {
  static const RuleSet rules("pm_reduce_load_collapse", {&pm_reduce_collapse(), &reduce_load_collapse_rows()});
  return rules;
}

const RuleSet& pm_reduce_simplify() {
  static const RuleSet own(
      "reduce_simplify_rows",
      {{"collapse-reduce", "a sum without loads is computed in closed form", "codegen/simplify.py:151",
        pat_any_length(Op::REDUCE, {var(u)}).with_arg(sum_arg()).named(red),
        [](const Match& m) { return collapse(m[red], m[u], pm_reduce_collapse()); }}});
  static const RuleSet rules("pm_reduce_simplify", {&pm_reduce_unparented(), &own});
  return rules;
}

const RuleSet& pm_load_collapse() {
  static const RuleSet rules(
      "pm_load_collapse",
      {
          {"collapse-load", "a sum that picks elements of a load becomes a load at a computed index",
           "codegen/simplify.py:156", pat(Op::REDUCE, {var(u), var()}).with_arg(sum_arg()).named(red),
           [](const Match& m) { return collapse(m[red], m[u], pm_reduce_load_collapse()); }},
          {"no-math-on-loaded-index", "x + y < c is x < c - y where x alone is loaded: adding to it could overflow",
           "codegen/simplify.py:158", (var(x, DType::weakint) + var(y)) < var(c),
           [](const Match& m) {
             return no_load(m[y]) && no_load(m[c]) && !no_load(m[x]) ? lt(m[x], m[c] - m[y]) : UOp{};
           }},
      });
  return rules;
}

}  // namespace rangescope::symbolic
