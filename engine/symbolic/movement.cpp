// Movement ops and indexing that undo or repeat each other (reference: uop/movement.py).

#include <algorithm>

#include "engine/ir/error.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

namespace {

using namespace captures;

UOp merge_permutes(const Match& m) {
  const Arg::Tuple& outer = m[x].arg().as_tuple();
  const Arg::Tuple& inner = m[x2].arg().as_tuple();
  Arg::Tuple both;
  for (const Arg& axis : outer) {
    const int64_t at = axis.as_int64();
    if (at < 0 || at >= static_cast<int64_t>(inner.size()))
      throw GraphError("a PERMUTE names an axis that is not there");
    both.push_back(inner[static_cast<size_t>(at)]);
  }
  return m[x2].with_arg(Arg(std::move(both)));
}

bool keeps_order(UOp permute) {
  int64_t next = 0;
  return std::ranges::all_of(permute.arg().as_tuple(), [&](const Arg& axis) { return axis.as_int64() == next++; });
}

// A stack of all elements of a value, in order, is that value.
UOp stack_of_elements(const Match& m) {
  const UOp stack = m[stk];
  const UOp value = m[captures::src];
  if (stack.shape() != value.shape()) return {};
  int64_t next = 0;
  for (const UOp element : stack.srcs())
    if (!python_equal(element.src(1).val(), Scalar(next++))) return {};
  return value;
}

// Python's seq[i].
UOp element_at(UOp stack, const Scalar& at) {
  const std::optional<int64_t> i = at.is_integral() ? at.as_int().to_int64() : std::nullopt;
  const auto n = static_cast<int64_t>(stack.src_count());
  if (!i || *i < -n || *i >= n) throw GraphError("a constant index is outside its STACK");
  return stack.src(static_cast<size_t>(*i < 0 ? *i + n : *i));
}

UOp index_stack_at_constant(const Match& m) {
  const UOp element = element_at(m[a], m[i].val());
  return m[idx].src_count() <= 2 ? element : element.index(m[idx].srcs().subspan(2));
}

UOp merge_indexes(const Match& m) {
  const auto inner = m[idx1].srcs().subspan(1);
  const auto outer = m[idx2].srcs().subspan(1);
  const auto is_scalar = [](UOp u) { return u.shape().empty(); };
  if (!std::ranges::all_of(inner, is_scalar) || !std::ranges::all_of(outer, is_scalar)) return {};
  UOps all(inner.begin(), inner.end());
  all.insert(all.end(), outer.begin(), outer.end());
  return m[idx1].src(0).index(all);
}

UOp index_of_shaped_index(const Match& m) {
  const auto outer = m[idx2].srcs().subspan(1);
  if (m[idx1_arg].shape().size() != outer.size()) return {};
  return m[buf].index({m[idx1_arg].index(outer)});
}

}  // namespace

const RuleSet& mop_cleanup() {
  static const RuleSet rules(
      "mop_cleanup",
      {
          {"merge-reshapes", "two reshapes in a row are one", "uop/movement.py:7",
           pat(Op::RESHAPE, {pat(Op::RESHAPE).named(x2), var()}).named(x),
           [](const Match& m) {
             return m[x].with_srcs({m[x2].src(0), m[x].src(1)});
           }},
          {"remove-noop-reshape", "a reshape to the shape that is there already does nothing", "uop/movement.py:9",
           pat(Op::RESHAPE, {var(x2), var()}).named(x),
           [](const Match& m) {
             const Shape* from = m[x2].shape_or_null();
             return from != nullptr && *from == m[x].shape() ? m[x2] : UOp{};
           }},
          {"merge-permutes", "two permutes in a row are one", "uop/movement.py:11",
           pat(Op::PERMUTE, {pat(Op::PERMUTE).named(x2)}).named(x), merge_permutes},
          {"remove-noop-permute", "a permute that keeps the order does nothing", "uop/movement.py:13",
           pat(Op::PERMUTE).named(x), [](const Match& m) { return keeps_order(m[x]) ? m[x].src(0) : UOp{}; }},
          {"stack-of-elements", "a stack of all elements of a value, in order, is the value", "uop/movement.py:15",
           pat_repeated(Op::STACK, pat(Op::INDEX, {var(captures::src), pat(Op::CONST)})).named(stk), stack_of_elements},
          {"index-stack-at-constant", "a constant index into a stack picks the element", "uop/movement.py:18",
           pat_any_length(Op::INDEX, {pat(Op::STACK).named(a), cvar(i)}).named(idx), index_stack_at_constant},
          {"merge-indexes", "an index of an index, by scalars, is one index", "uop/movement.py:21",
           pat_any_length(Op::INDEX, {pat(Op::INDEX).named(idx1).any_length()}).named(idx2), merge_indexes},
          {"index-of-shaped-index", "an index into a gather indexes the gather's own index", "uop/movement.py:24",
           pat_any_length(Op::INDEX, {pat(Op::INDEX, {var(buf), var(idx1_arg)})}).named(idx2), index_of_shaped_index},
      });
  return rules;
}

}  // namespace rangescope::symbolic
