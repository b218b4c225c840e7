#include "engine/ir/sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/store.h"

namespace rangescope {

UOp device_range(Store& store, int64_t count) {
  return store.range(Dim(count), -1, AxisType::DEVICE);
}

UOp unshard(UOp value, std::span<const int64_t> axes, std::span<const UOp> ranges) {
  if (axes.empty() || axes.size() != ranges.size())
    throw GraphError(fmt::format("UNSHARD of node {} needs one range an axis, and one axis at least", value.id()));
  std::vector<size_t> order(axes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return axes[i]; });
  UOps srcs{value};
  Arg::Tuple arg;
  for (const size_t i : order) {
    if (!arg.empty() && arg.back().as_int64() == axes[i])
      throw GraphError(fmt::format("UNSHARD of node {} names axis {} twice", value.id(), axes[i]));
    arg.emplace_back(axes[i]);
    srcs.push_back(ranges[i]);
  }
  return value.store().make(Op::UNSHARD, srcs, Arg(std::move(arg)));
}

UOp unshard(UOp value, int64_t axis) {
  if (!value.device().is_tuple)
    throw GraphError(fmt::format("{} (node {}) must live on several devices to be sharded over them",
                                 op_name(value.op()), value.id()));
  const UOp range = device_range(value.store(), static_cast<int64_t>(value.device().names.size()));
  return unshard(value, {&axis, 1}, {&range, 1});
}

std::vector<int64_t> sharded_axes(UOp unshard) {
  std::vector<int64_t> axes;
  for (const Arg& a : unshard.arg().as_tuple()) axes.push_back(a.as_int64());
  return axes;
}

UOp unshard_like(UOp value, UOp like) {
  const std::vector<int64_t> axes = sharded_axes(like);
  return unshard(value, axes, like.srcs().subspan(1));
}

UOp shard_of(UOp whole, int64_t axis, UOp range) {
  const Shape& shape = whole.shape();
  if (shape.empty()) return whole;
  const Dim count = max_of(Dim(range)) + 1;
  if (axis < 0 || static_cast<size_t>(axis) >= shape.size())
    throw GraphError(fmt::format("{} (node {}) of shape {} has no axis {} to shard", op_name(whole.op()), whole.id(),
                                 to_string(shape), axis));
  const Dim size = shape[static_cast<size_t>(axis)];
  if (!must_be_equal(floormod(size, count), Dim(0)))
    throw GraphError(
        fmt::format("axis {} of {} does not divide into {} shards", axis, to_string(shape), to_string(count)));
  const Dim block = floordiv(size, count);
  const Dim begin = Dim(range) * block;
  std::vector<std::pair<Dim, Dim>> cut;
  for (size_t i = 0; i < shape.size(); ++i)
    if (i == static_cast<size_t>(axis))
      cut.emplace_back(begin, begin + block);
    else
      cut.emplace_back(Dim(0), shape[i]);
  return whole.shrink(cut);
}

UOp copy_to_device(UOp value, const Device& device, std::optional<int64_t> source) {
  if (source) {
    if (!value.device().is_tuple)
      throw GraphError(
          fmt::format("{} (node {}) lives on one device, there is none to select", op_name(value.op()), value.id()));
    value = mselect(value, *source);
  }
  if (value.is_weak())
    throw GraphError(fmt::format("{} (node {}) has the weak dtype {}: nothing can store it", op_name(value.op()),
                                 value.id(), dtype_name(value.dtype())));
  Shape largest;
  for (const int64_t s : value.max_shape()) largest.emplace_back(s);
  return value.store().make(Op::COPY, {value.pad_to(largest)}, Arg(device)).shrink_to(value.shape());
}

UOp mselect(UOp value, int64_t index) {
  return value.store().make(Op::MSELECT, {value}, Arg(index));
}

UOp mstack_of(std::span<const UOp> values) {
  RS_CHECK(!values.empty(), "a stack over devices has a value");
  return values.size() == 1 ? values[0] : values[0].store().make(Op::MSTACK, values);
}

UOp allreduce(UOp value, Op op, const Device& device) {
  if (!value.device().is_tuple)
    throw GraphError(
        fmt::format("{} (node {}) must live on several devices for an allreduce", op_name(value.op()), value.id()));
  return value.store().make(Op::ALLREDUCE, {value}, Arg(Arg::Tuple{Arg(op), Arg(device)}));
}

}  // namespace rangescope
