#include "engine/codegen/recompute.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/ir/traversal.h"
#include "engine/schedule/substitute_ranges.h"

namespace rangescope::codegen {

namespace {

bool reduces_over_its_own(UOp value, std::span<const UOp> ranges) {
  return std::ranges::any_of(toposort(value), [&](UOp u) {
    return u.is(Op::REDUCE) && std::ranges::any_of(ranges, [&](UOp r) { return r.is(Op::RANGE) && u.has_range(r); });
  });
}

UOp recompute_stage(const Match& m) {
  using namespace captures;
  const UOp value = m[src], stage = m[buf], index = m[idx];
  const std::span<const UOp> ranges = stage.srcs().subspan(1);
  if (stage.arg().as<StageArg>().addrspace != AddrSpace::LOCAL || stage.src_count() != index.src_count()) return {};
  if (!std::ranges::all_of(ranges, [](UOp r) { return r.in({Op::RANGE, Op::CONST}); })) return {};
  if (reduces_over_its_own(value, ranges)) return {};
  std::vector<std::pair<UOp, UOp>> replaced;
  for (size_t i = 1; i < stage.src_count(); ++i)
    if (stage.src(i).is(Op::RANGE)) replaced.emplace_back(stage.src(i), index.src(i));
  return schedule::substitute_ranges(value, replaced);
}

}  // namespace

const RuleSet& pm_recompute_stages() {
  using namespace captures;
  static const RuleSet rules(
      "pm_recompute_stages",
      {{"recompute-stage", "invocations that run one after another compute a value again rather than stage it", "",
        pat_any_length(Op::INDEX, {pat_any_length(Op::STAGE, {var(src)}).named(buf)}).named(idx), recompute_stage}});
  return rules;
}

}  // namespace rangescope::codegen
