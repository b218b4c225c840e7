#include "engine/schedule/split_reduceop.h"

#include <algorithm>

#include "engine/ir/dim.h"
#include "engine/ir/store.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/flags.h"
#include "engine/schedule/movement_ops.h"

namespace rangescope::schedule {

namespace {

constexpr int64_t kMostParts = 256;
constexpr int64_t kFewestParts = 8;

// Axes of x along which its elements differ: an expanded axis repeats them.
std::vector<bool> expanded_axes(UOp x) {
  Store& store = x.store();
  UOps ranges;
  for (size_t i = 0; i < x.ndim(); ++i) {
    const Dim& size = x.shape()[i];
    ranges.push_back(size.value > 1 ? store.range(size, static_cast<int64_t>(i)) : store.constant(0));
  }
  const std::pair<UOp, UOp> base_away{x.base(), store.make(Op::NOOP, std::span<const UOp>{})};
  const UOp indexed = substitute(x.index(ranges), std::span(&base_away, 1), {.first_rules = &pm_mops()});
  std::vector<bool> expanded(x.ndim(), true);
  for (const UOp r : indexed.ranges())
    if (const int64_t axis = r.arg().as_tuple().at(0).as_int64();
        axis >= 0 && static_cast<size_t>(axis) < expanded.size())
      expanded[static_cast<size_t>(axis)] = false;
  return expanded;
}

}  // namespace

UOp split_reduceop(UOp reduce, UOp x) {
  const Dim result = reduce.numel();
  if (result == Dim(0)) return {};
  const Flags& flag = flags(x.store());
  if (flag.split_reduceop == 0 || !all_int(x.shape())) return {};
  if (x.numel().value / result.value < flag.reduceop_split_threshold) return {};

  const Op op = reduce.arg().as_tuple().at(0).as<Op>();
  const auto axes = static_cast<size_t>(reduce.arg().as_tuple().at(1).as_int64());
  const std::vector<bool> expanded = expanded_axes(x);
  const Shape& shape = x.shape();
  const int64_t most = std::min(kMostParts, (int64_t{1} << flag.reduceop_split_size) / result.value);
  for (size_t axis = 0; axis < axes; ++axis) {
    if (expanded[axis]) continue;
    for (int64_t parts = most; parts >= kFewestParts; --parts) {
      if (shape[axis].value % parts != 0) continue;
      // the parts go last, for locality of the second half
      Shape split = shape;
      split[axis] = shape[axis].value / parts;
      split.insert(split.begin() + static_cast<std::ptrdiff_t>(axis), Dim(parts));
      std::vector<int64_t> order, reduced;
      for (size_t i = 0; i < split.size(); ++i)
        if (i != axis) order.push_back(static_cast<int64_t>(i));
      order.push_back(static_cast<int64_t>(axis));
      for (size_t i = 0; i < axes; ++i) reduced.push_back(static_cast<int64_t>(i));
      const auto last = static_cast<int64_t>(reduce.ndim());
      return x.reshape(split)
          .permute(order)
          .rop(op, reduced)
          .contiguous()
          .rop(op, std::span(&last, 1))
          .reshape(reduce.shape());
    }
  }
  return {};
}

}  // namespace rangescope::schedule
