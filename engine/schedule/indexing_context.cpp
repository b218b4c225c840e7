#include "engine/schedule/indexing_context.h"

#include <algorithm>

#include "engine/ir/dim.h"

namespace rangescope::schedule {

UOp IndexingContext::new_range(Store& store, const Dim& size, AxisType type) {
  if (size.sym && size.sym.is(Op::RANGE)) return size.sym;
  return resolve_ne(size, Dim(1)) ? store.range(size, next_range++, type) : store.constant(0);
}

UOps broadcast_ranges(UOp consumer, UOp src, const UOps& ranges) {
  if (!consumer.in(groups::Broadcastable)) return ranges;
  const Shape &from = src.shape(), &to = consumer.shape();
  const AxisList axes = broadcast_axes(from, to);
  if (axes.empty()) return ranges;
  UOps out;
  for (size_t i = to.size() - from.size(); i < ranges.size(); ++i)
    out.push_back(std::ranges::binary_search(axes, static_cast<int64_t>(i)) ? ranges[i].const_like(Scalar(0))
                                                                            : ranges[i]);
  return out;
}

size_t data_source_count(UOp u) {
  constexpr OpSet none{Op::PARAM, Op::BUFFER, Op::RANGE, Op::SPECIAL};
  constexpr OpSet first = groups::Movement | OpSet{Op::INDEX, Op::STAGE, Op::REDUCE, Op::AFTER, Op::END};
  if (u.in(none)) return 0;
  // the store of a bound variable only carries the input value
  if (u.is(Op::STORE) && u.src(0).is_variable()) return 0;
  return u.in(first) ? std::min<size_t>(1, u.src_count()) : u.src_count();
}

}  // namespace rangescope::schedule
