#include <algorithm>

#include "engine/ir/store.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

namespace {

using namespace captures;

// What only holds sources together.
bool is_transparent(UOp u) {
  return u.in({Op::NOOP, Op::STACK, Op::SINK, Op::GROUP});
}

UOp flatten_sink(UOp root) {
  if (std::ranges::none_of(root.srcs(), is_transparent)) return {};
  UOps srcs;
  for (const UOp s : root.srcs()) {
    if (is_transparent(s))
      srcs.insert(srcs.end(), s.srcs().begin(), s.srcs().end());
    else
      srcs.push_back(s);
  }
  return root.store().make(root.op(), srcs, root.arg());
}

}  // namespace

const RuleSet& pm_clean_up_group_sink() {
  static const RuleSet rules(
      "pm_clean_up_group_sink",
      {
          {"group-of-one", "a group of one is that one", "uop/symbolic.py:435", pat(Op::GROUP, {var(x)}),
           [](const Match& m) { return m[x]; }},
          {"flatten-sink", "groups, stacks and sinks inside a group or sink dissolve", "uop/symbolic.py:436",
           pat({Op::SINK, Op::GROUP}).named(root), [](const Match& m) { return flatten_sink(m[root]); }},
      });
  return rules;
}

}  // namespace rangescope::symbolic
