#include "engine/schedule/fold_moved_after.h"

#include <algorithm>

#include "engine/ir/dim.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/flags.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

// Undoes the movement between the value and what was stored, on the stored side.
UOp remember_stored(const Match& m) {
  UOp value = m[src], stored = m[after];
  if (value.is(Op::CAST) && value.dtype() == DType::float16 && flags(m.store()).float16 != 0) {
    value = value.src(0);
    stored = stored.cast(DType::float32);
  }
  while (true) {
    if (value.is(Op::PERMUTE)) {
      const AxisList order = value.marg_perm();
      std::vector<int64_t> inverse(order.size());
      for (size_t i = 0; i < order.size(); ++i) inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
      stored = stored.permute(inverse);
      value = value.src(0);
    } else if (value.is(Op::RESHAPE)) {
      stored = stored.reshape(value.src(0).shape());
      value = value.src(0);
    } else if (value.is(Op::WHERE) && value.src(2).base().is_invalid() && value.src(1).is(Op::PAD)) {
      const UOp pad = value.src(1);
      const Shape& inner = pad.src(0).shape();
      std::vector<std::pair<Dim, Dim>> part;
      for (const auto& [offset, size] : pad.marg_pairs()) {
        const Dim& n = inner[part.size()];
        part.emplace_back(offset, n + offset);
      }
      stored = stored.shrink(part);
      value = pad.src(0);
    } else {
      break;
    }
  }
  m.context<NodeMap>().set(value, stored);  // NOLINT(readability-suspicious-call-argument): key and value
  return {};
}

UOp use_stored(const Match& m) {
  UOps srcs;
  for (const UOp s : m[alu].srcs()) {
    const UOp stored = m.context<NodeMap>().get(s);
    srcs.push_back(stored ? stored : s);
  }
  return std::ranges::equal(srcs, m[alu].srcs()) ? UOp{} : m[alu].with_srcs(srcs);
}

}  // namespace

const RuleSet& pm_fold_moved_after() {
  static const RuleSet rules(
      "pm_fold_moved_after",
      {
          {"remember-moved-after", "remembers which value a moved one was stored from", "schedule/rangeify.py:33",
           pat(Op::AFTER,
               {var(), pat(Op::STORE, {var(), pat(groups::Movement | OpSet{Op::CAST, Op::WHERE}).named(src)})})
               .named(after),
           remember_stored},
          {"use-moved-after", "an ALU op reads the stored value", "schedule/rangeify.py:35",
           pat(groups::ALU).named(alu), use_stored},
      });
  return rules;
}

}  // namespace rangescope::schedule
