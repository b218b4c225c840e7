// Arithmetic, reduces and indexing of sharded values.

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/sharding.h"
#include "engine/schedule/flags.h"
#include "engine/schedule/multi_rules.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

UOp first_unshard(UOp root) {
  for (const UOp s : root.srcs())
    if (s.is(Op::UNSHARD)) return s;
  return {};
}

// The range that values are resharded over: the devices, or without any the range of the sharded value itself (a LOCAL
// range of threads). A value on one device counts the letters of its name, as the reference does.
UOp resharding_range(std::span<const UOp> values) {
  const Device* device = nullptr;
  UOp range;
  for (const UOp v : values) {
    if (v.is(Op::UNSHARD) && !range) range = v.src(1);
    if (v.device().is_none()) continue;
    if (device != nullptr && !(*device == v.device()))
      throw GraphError(fmt::format("values on different devices are combined (node {})", v.id()));
    device = &v.device();
  }
  if (device != nullptr)
    return device_range(values[0].store(),
                        static_cast<int64_t>(device->is_tuple ? device->names.size() : device->names[0].size()));
  if (!range) throw GraphError("sharding needs devices, or a value that says its range");
  return range;
}

// Sources as local shards on `axis`.
UOps shard_srcs(std::span<const UOp> values, int64_t axis) {
  const UOp range = resharding_range(values);
  std::vector<const Shape*> shapes;
  for (const UOp v : values) shapes.push_back(&v.shape());
  const Shape out = broadcast_shape(shapes);
  UOps srcs;
  for (const UOp v : values) {
    const int64_t own = axis - static_cast<int64_t>(out.size() - v.shape().size());
    if (v.axis() == own) {
      srcs.push_back(v.src(0));
      continue;
    }
    // each shard gets the whole value, cut where the value has the axis (a broadcast one stays whole)
    const UOp full = v.axis() ? copy_multi(v, v.device()) : v;
    const AxisList broadcast = broadcast_axes(v.shape(), out);
    srcs.push_back(std::ranges::find(broadcast, axis) != broadcast.end() ? full : shard_of(full, own, range));
  }
  return srcs;
}

int64_t common_axis(UOp root) {
  const std::optional<int64_t> axis = root.axis();
  if (!axis) throw GraphError(fmt::format("{} (node {}) has no sharded axis", op_name(root.op()), root.id()));
  return *axis;
}

UOp unshard_along(UOp value, int64_t axis, UOp root) {
  const UOp range = first_unshard(root).src(1);
  return unshard(value, {&axis, 1}, {&range, 1});
}

// min >= 0 and max < size, where it must be decided
bool within(UOp local, const Dim& size) {
  if (python_less(local.vmin(), Scalar(0))) return false;
  if (size.is_int()) return python_less(local.vmax(), Scalar(size.value));
  const UOp below = lt(local.store().constant(local.vmax()), size.sym);
  if (resolve(below, true) != resolve(below, false))
    throw GraphError("cannot tell whether an index stays inside a shard of symbolic size");
  return resolve(below);
}

}  // namespace

UOp alu_multi(const Match& m) {
  const UOp u = m[root];
  const UOp target = first_unshard(u);
  if (!target) return {};
  const auto sharding = target.sharding();
  // sharded alike, or whole on every shard, or a scalar
  const bool per_shard = std::ranges::all_of(u.srcs(), [&](UOp s) {
    const auto own = s.sharding();
    return own.empty() ? s.shape().empty() || s.shape() == target.shape() : own == sharding;
  });
  UOps srcs;
  if (!per_shard) {
    const int64_t axis = common_axis(u);
    srcs = shard_srcs(u.srcs(), axis);
    return unshard_along(m.store().make(u.op(), srcs), axis, u);
  }
  for (const UOp s : u.srcs())
    srcs.push_back(s.is(Op::UNSHARD) || s.shape().empty() ? shard_value(s) : shard_subview(s, target));
  return unshard_like(m.store().make(u.op(), srcs), target);
}

UOp stack_multi(const Match& m) {
  // STACK adds an axis in front: its sources are sharded one axis below
  const UOp u = m[root];
  const UOp first = first_unshard(u);
  if (!first) return {};
  const bool alike =
      std::ranges::all_of(u.srcs(), [&](UOp s) { return !s.is(Op::UNSHARD) || s.sharding() == first.sharding(); });
  UOps srcs;
  if (!alike) {
    const int64_t axis = common_axis(u);
    srcs = shard_srcs(u.srcs(), axis - 1);
    return unshard_along(m.store().make(Op::STACK, srcs), axis, u);
  }
  for (const UOp s : u.srcs()) srcs.push_back(shard_value(s));
  std::vector<int64_t> axes = sharded_axes(first);
  for (int64_t& a : axes) ++a;
  return unshard(m.store().make(Op::STACK, srcs), axes, first.srcs().subspan(1));
}

UOp reduce_multi(const Match& m) {
  const Op op = m[root].arg().as_tuple().at(0).as<Op>();
  const int64_t num_axes = m[root].arg().as_tuple().at(1).as_int64();
  std::vector<int64_t> kept;
  UOps kept_ranges;
  bool reduced = false;
  for (const auto& [ax, range] : m[multi].sharding()) {
    if (ax < num_axes) {
      reduced = true;
      continue;
    }
    kept.push_back(ax - num_axes);
    kept_ranges.push_back(range);
  }
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < num_axes; ++i) axes.push_back(i);
  const UOp value = m[multi].src(0);
  const UOp local = value.rop(op, axes);
  if (!reduced) return unshard(local, kept, kept_ranges);
  if (!kept.empty())
    throw GraphError(
        fmt::format("a reduce (node {}) over some sharded axes and not others is not supported", m[root].id()));
  const Device& device = m[multi].device();
  if (flags(m.store()).allreduce_cast != 0 && value.is(Op::CAST)) {
    const DType narrow = value.src(0).dtype();
    if (narrow == DType::bfloat16 || narrow == DType::float16)
      return allreduce(local.cast(narrow), op, device).cast(local.dtype());
  }
  return allreduce(local, op, device);
}

UOp index_multi(const Match& m) {
  // A shard owns a block (idx = range * size + local) or every size-th element (idx = range + local * size).
  const UOp u = m[root];
  const UOp value = m[multi].src(0);
  UOps idxs(u.srcs().begin() + 1, u.srcs().end());
  for (const auto& [ax, range] : m[multi].sharding()) {
    const auto axis = static_cast<size_t>(ax);
    if (axis >= idxs.size())
      throw GraphError(fmt::format("INDEX (node {}) gives no index for the sharded axis {}", u.id(), ax));
    const Dim size = value.shape().at(axis);
    const UOp size_uop = m.store().dim(size);
    UOp local = (idxs[axis] - range * size_uop).simplify();
    if (!within(local, size)) {
      const UOp diff = (idxs[axis] - range).simplify();
      const UOp rest = (diff % size_uop).simplify();
      if (rest.is_const() && python_equal(rest.val(), Scalar(0))) local = floordiv(diff, size_uop).simplify();
      if (!rest.is_const() || !python_equal(rest.val(), Scalar(0)) || !within(local, size))
        throw GraphError(fmt::format("INDEX (node {}) does not stay inside one shard of {} along axis {}", u.id(),
                                     to_string(size), ax));
    }
    idxs[axis] = local;
  }
  return value.index(idxs);
}

}  // namespace rangescope::schedule
