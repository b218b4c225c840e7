#include "engine/symbolic/range.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/store.h"
#include "engine/ir/traversal.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

namespace {

using namespace captures;

// The ranges that a node ends are listed one by one, in the order in which they are open below it. What ends a loop by
// a condition stays at the end.
UOp flatten_range(UOp r) {
  const auto listed = r.srcs().subspan(1);
  if (listed.empty()) return {};
  UOps srcs{r.src(0)};
  UOps conditions;
  for (const UOp x : listed) {
    if (x.dtype() == DType::void_ || x.dtype() == DType::bool_) {
      conditions.push_back(x);
      continue;
    }
    for (const UOp open : x.ranges())
      if (std::ranges::find(srcs.begin() + 1, srcs.end(), open) == srcs.end()) srcs.push_back(open);
  }
  srcs.insert(srcs.end(), conditions.begin(), conditions.end());
  return r.with_srcs(srcs);
}

// ** merging two ranges into one

int64_t count_divmod(UOp x) {
  return std::ranges::count_if(toposort(x), [&](UOp u) { return u != x && u.in({Op::FLOORDIV, Op::FLOORMOD}); });
}

// The substitution, and what it allows to simplify, in one pass.
const RuleSet& merge_check_rules() {
  static const RuleSet rules("check_merge", {&substitute_rules(), &symbolic(), &pm_flatten_range()});
  return rules;
}

std::string axis_text(UOp range) {
  const Arg& id = range.arg().as_tuple().at(0);
  const auto* v = id.get_if<Scalar>();
  if (v == nullptr) throw GraphError("a range's first number is no number");
  return v->str();
}

// Pairs to try: neighbours where a loop ends, all ordered pairs of a reduction.
std::vector<std::pair<UOp, UOp>> merge_candidates(UOp u) {
  const UOps ended = u.ended_ranges();
  std::vector<std::pair<UOp, UOp>> pairs;
  if (u.is(Op::END)) {
    for (size_t i = 1; i < ended.size(); ++i) pairs.emplace_back(ended[i - 1], ended[i]);
    return pairs;
  }
  for (size_t i = 0; i < ended.size(); ++i)
    for (size_t j = 0; j < ended.size(); ++j)
      if (i != j) pairs.emplace_back(ended[i], ended[j]);
  return pairs;
}

// Ranges of one kind that are open in the same reductions become one, where that needs no more divisions.
UOp merge_ranges(UOp u) {
  if (!std::ranges::all_of(u.ended_ranges(), [](UOp r) { return r.is(Op::RANGE); })) return {};
  UOps reduces;
  for (const UOp x : toposort(u))
    if (x.is(Op::REDUCE)) reduces.push_back(x);
  for (const auto& pair : merge_candidates(u)) {
    const UOp r0 = pair.first;
    const UOp r1 = pair.second;
    if (r0.arg().as_tuple().back() != r1.arg().as_tuple().back()) continue;
    if (!std::ranges::all_of(reduces, [&](UOp x) { return x.has_range(r0) == x.has_range(r1); })) continue;
    const UOp inner = r1.src(0);
    const UOp merged = r0.with_srcs({r0.src(0) * inner});
    NodeMap map;
    map.set(r0, floordiv(merged, inner));
    map.set(r1, merged % inner);
    const std::string name = fmt::format("check_merge_{}_{}", axis_text(r0), axis_text(r1));
    RewriteOptions options;
    options.name = name;
    options.context = &map;
    const UOp made = graph_rewrite(u, merge_check_rules(), options);
    if (count_divmod(made) <= count_divmod(u)) u = made;
  }
  return u;
}

// ** shrinking ranges whose every use is gated

const Scalar& const_value(UOp u) {
  if (!u.is_const()) throw GraphError("a gated range has a symbolic size");
  return u.val();
}

// Notes for every range of an index what it can shrink to: its largest gate, or its size where it is not gated.
UOp mark_gated(const Match& m) {
  auto& sizes = m.context<NodeMap>();
  UOp value = m[idx];
  NodeMap gates;
  if (value.src_count() > 1 && value.src(1).is(Op::WHERE)) {
    const UOp index = value.src(1);
    for (const UOp clause : index.get_valid().split(Op::AND))
      if (clause.is(Op::CMPLT) && clause.src(0).is(Op::RANGE) && clause.src(1).is_const())
        gates.set(clause.src(0), clause.src(1));
    value = index.get_idx();
  }
  for (const auto& [range, limit] : gates.items()) {
    const UOp known = sizes.get(range);
    if (!known || python_less(const_value(known), limit.val())) sizes.set(range, limit);
  }
  for (const UOp range : value.ranges())
    if (!gates.contains(range)) sizes.set(range, range.src(0));
  return {};
}

// Ranges that are reduced over keep their size.
UOp mark_reduced(const Match& m) {
  for (const UOp range : m[red].srcs().subspan(1)) m.context<NodeMap>().set(range, range.src(0));
  return {};
}

// Replaces the ranges that were noted, at the end of the pass.
UOp substitute_noted(const Match& m, UOp (*replacement)(UOp range, UOp noted)) {
  auto& noted = m.context<NodeMap>();
  NodeMap map;
  for (const auto& [range, value] : noted.items()) map.set(range, replacement(range, value));
  noted = {};
  const UOp made = substitute(m[x], map);
  return made == m[x] ? UOp{} : made.simplify();
}

// ** splitting a range at a modulus

bool can_split(UOp range) {
  const Arg& type = range.arg().as_tuple().back();
  return type != Arg(AxisType::WARP) && type != Arg(AxisType::DEVICE) && range.src(0).is_const();
}

UOp mark_modulus(const Match& m) {
  auto& split = m.context<NodeMap>();
  if (!split.contains(m[r]) && can_split(m[r]) && m[r].src(0).divides(m[c].val().as_int())) split.set(m[r], m[c]);
  return {};
}

UOp half(UOp range, UOp size, int64_t which) {
  Arg::Tuple arg = range.arg().as_tuple();
  arg.insert(arg.end() - 1, Arg(which));
  return range.with_srcs({size}).with_arg(Arg(std::move(arg)));
}

UOp split_range(UOp range, UOp inner) {
  return half(range, floordiv(range.src(0), inner), 0) * inner + half(range, inner, 1);
}

}  // namespace

const RuleSet& pm_flatten_range() {
  static const RuleSet rules(
      "pm_flatten_range",
      {{"flatten-range", "an END or REDUCE lists the ranges that it closes one by one", "codegen/simplify.py:18",
        pat({Op::REDUCE, Op::END}).named(r), [](const Match& m) { return flatten_range(m[r]); }}});
  return rules;
}

const RuleSet& pm_simplify_ranges() {
  static const RuleSet rules(
      "pm_simplify_ranges",
      {
          {"merge-ranges", "two ranges that close together become one where the indices get no harder",
           "codegen/simplify.py:55", pat({Op::END, Op::REDUCE}).named(u),
           [](const Match& m) { return merge_ranges(m[u]); }},
          {"mark-gated-ranges", "notes how far each range of an index is really used", "codegen/simplify.py:56",
           pat(Op::INDEX).named(idx), mark_gated},
          {"mark-reduced-ranges", "notes that the ranges of a reduction keep their size", "codegen/simplify.py:58",
           pat(Op::REDUCE).named(red), mark_reduced},
          {"shrink-gated-ranges", "ranges shrink to the part that is used", "codegen/simplify.py:59",
           pat(Op::SINK).named(x),
           [](const Match& m) {
             return substitute_noted(m, [](UOp range, UOp size) { return range.with_srcs({size}); });
           }},
      });
  return rules;
}

const RuleSet& pm_split_ranges() {
  static const RuleSet rules(
      "pm_split_ranges",
      {
          {"mark-range-modulus", "notes the modulus under which a range is used", "codegen/simplify.py:73",
           pat(Op::RANGE).named(r) % cvar(c), mark_modulus},
          {"split-ranges", "a range that is used modulo a divisor of its size becomes two", "codegen/simplify.py:74",
           pat(Op::SINK).named(x), [](const Match& m) { return substitute_noted(m, split_range); }},
      });
  return rules;
}

}  // namespace rangescope::symbolic
