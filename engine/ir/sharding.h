#pragma once
// Values on several devices: what is sharded, copied, selected and reduced across them (reference: uop/ops.py, the
// multi-device helpers of UOp).

#include <optional>
#include <span>
#include <vector>

#include "engine/ir/uop.h"

namespace rangescope {

// The whole value whose shards along `axes` are `value`, one for each step of the range of that axis.
UOp unshard(UOp value, std::span<const int64_t> axes, std::span<const UOp> ranges);
// The same along one axis, a shard a device.
UOp unshard(UOp value, int64_t axis);
// As sharded as `like`, an UNSHARD, is.
UOp unshard_like(UOp value, UOp like);
// The axes of an UNSHARD.
std::vector<int64_t> sharded_axes(UOp unshard);
// The range over the devices of a value, one step each.
UOp device_range(Store& store, int64_t count);
// The block of `whole` along `axis` that belongs to a step of `range`. A scalar is itself on every shard.
UOp shard_of(UOp whole, int64_t axis, UOp range);

// `value` copied to the device or devices; from its `source`-th device where that is given.
UOp copy_to_device(UOp value, const Device& device, std::optional<int64_t> source = std::nullopt);
UOp mselect(UOp value, int64_t index);
UOp mstack_of(std::span<const UOp> values);
UOp allreduce(UOp value, Op op, const Device& device);

}  // namespace rangescope
