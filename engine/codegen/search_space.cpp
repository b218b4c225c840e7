#include "engine/codegen/search_space.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"

namespace rangescope::codegen {

namespace {

void add(std::vector<OptArg>& actions, OptOp op, int64_t axes, std::initializer_list<int64_t> amounts) {
  for (const int64_t amount : amounts)
    for (int64_t axis = 0; axis < axes; ++axis) actions.push_back({op, axis, {Arg(amount)}});
}

// The reference's, without those for tensor cores and threads, and with the powers of two that registers and lanes of a
// processor come in: upcasts of 8 and 16, unrolling by 8, workgroups of up to 256 along any axis.
const std::vector<OptArg>& actions() {
  static const std::vector<OptArg> all = [] {
    std::vector<OptArg> a;
    add(a, OptOp::UPCAST, 8, {0, 2, 3, 4, 5, 7, 8, 16});
    add(a, OptOp::UNROLL, 5, {0, 4, 7, 8});
    add(a, OptOp::LOCAL, 6, {2, 3, 4, 8, 13, 16, 29, 32, 64, 256});
    add(a, OptOp::GROUPTOP, 3, {13, 16, 28, 29, 32, 49, 64, 256});
    add(a, OptOp::GROUP, 3, {0, 4, 8, 16});
    for (int64_t axis = 0; axis < 5; ++axis)
      for (int64_t other = axis + 1; other < 5; ++other) a.push_back({OptOp::SWAP, axis, {Arg(other)}});
    return a;
  }();
  return all;
}

// Splitting off the whole axis has an action of its own.
bool whole_axis(const KernelAxes& k, const OptArg& action) {
  if (action.op != OptOp::UPCAST && action.op != OptOp::UNROLL && action.op != OptOp::GROUP) return false;
  const int64_t amount = action.arg[0].as_int64();
  return amount != 0 && k.full_shape()[static_cast<size_t>(k.real_axis(action.op, action.axis))] == Dim(amount);
}

bool within(const KernelAxes& k, const SearchLimits& limits) {
  Int local = 1;
  for (const int64_t a : k.axes_of({AxisType::WARP, AxisType::LOCAL, AxisType::GROUP_REDUCE}))
    local *= max_of(k.full_shape()[static_cast<size_t>(a)]);
  return k.upcast_size() <= Int(limits.most_upcast) && local <= Int(limits.most_local);
}

}  // namespace

void each_search_step(const KernelAxes& kernel, const SearchLimits& limits,
                      const std::function<bool(KernelAxes& next)>& visit) {
  for (const OptArg& action : actions()) {
    KernelAxes next(kernel);
    try {
      if (whole_axis(kernel, action)) continue;
      next.apply_opt(action);
    } catch (const OptDeclined&) {
      continue;
    } catch (const GraphError&) {  // an axis of symbolic size
      continue;
    }
    if (within(next, limits) && !visit(next)) return;
  }
}

}  // namespace rangescope::codegen
