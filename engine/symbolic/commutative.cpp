#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

// Index arithmetic alone: flipping the operands of some lanes only would keep vector arithmetic from merging.
const RuleSet& commutative() {
  static const RuleSet rules(
      "commutative",
      {{"order-operands", "the operands of a commutative index op stand in one order", "uop/symbolic.py:217",
        pat(groups::Commutative).with_dtype(DType::weakint).named(captures::x), [](const Match& m) {
          const UOp u = m.root();
          return compare_tuplize(u.src(1), u.src(0)) < 0 ? u.with_srcs({u.src(1), u.src(0)}) : UOp{};
        }}});
  return rules;
}

}  // namespace rangescope::symbolic
