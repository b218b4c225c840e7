// AFTER and END: what must have happened before a value.

#include <algorithm>

#include "engine/ir/store.h"
#include "engine/symbolic/families.h"

namespace rangescope::symbolic::families {

namespace {

using namespace captures;

// Only these can have effects to wait for; anything else stands for its sources.
constexpr OpSet kEffects{Op::RANGE, Op::STORE, Op::CALL, Op::FUNCTION, Op::BARRIER, Op::END, Op::LINEAR, Op::STAGE};

UOp wait_for_effects(const Match& m) {
  const UOp u = m[x];
  const auto waits = u.srcs().subspan(1);
  Marks seen(u.store());
  if (std::ranges::all_of(waits, [&](UOp w) { return w.in(kEffects) && seen.insert(w); })) return {};
  UOps srcs{u.src(0)};
  Marks kept(u.store());
  const auto keep = [&](UOp w) {
    if (kept.insert(w)) srcs.push_back(w);
  };
  for (const UOp w : waits) {
    if (w.in(kEffects))
      keep(w);
    else
      std::ranges::for_each(w.srcs(), keep);
  }
  return u.with_srcs(srcs);
}

}  // namespace

const RuleSet& ordering() {
  static const RuleSet rules(
      "ordering", {
                      {"wait-for-effects", "a value waits for what has effects, once each", "uop/symbolic.py:304",
                       pat(Op::AFTER).named(x), wait_for_effects},
                      {"nothing-to-wait-for", "a value that waits for nothing is the value", "uop/symbolic.py:308",
                       pat({Op::AFTER, Op::END}, {var(s)}), [](const Match& m) { return m[s]; }},
                  });
  return rules;
}

}  // namespace rangescope::symbolic::families
