#pragma once
// What moves, gathers and joins elements, and what reduces them.

#include <span>

#include "engine/eval/value.h"

namespace rangescope::eval {

// `v` in the middle of zeros: along axis i, `offset[i]` of them come before, and the result has `size[i]` elements.
// With `outside_invalid` the elements around it are invalid: a place that is not there.
Value padded(const Value& v, std::span<const int64_t> offset, std::span<const int64_t> size, bool outside_invalid,
             Meter& meter);
// A new first axis over the values.
Value stacked(DType dtype, std::span<const Value> values, Meter& meter);
// The elements of `from` that the indices name, one index an axis from the first on; an invalid index gives 0, or an
// invalid element where `keep_invalid`. An index out of range is refused.
Value indexed(const Value& from, std::span<const Value> indices, bool keep_invalid, Meter& meter);
// The open ranges `at` (ranges, constants or expressions of ranges, of the sizes given) become the first axes.
Value staged(const Value& v, std::span<const Value> at, std::span<const int64_t> sizes, Meter& meter);
// The shards of every device joined along the axes; `at` says for each axis which shard a device holds.
Value joined(const Value& shards, std::span<const int64_t> axes, std::span<const Value> at,
             std::span<const int64_t> counts, Meter& meter);
// The device axis, made of one value a device.
Value device_stack(std::span<const Value> values, Meter& meter);
// A shrink whose offset differs from device to device.
Value shrunk_by_device(const Value& v, std::span<const Sizes> offsets, std::span<const int64_t> size, Meter& meter);

// ADD, MUL or MAX over ranges, open in `v` or not, and the first `axes` axes of the shape.
Value reduced(Op op, DType dtype, const Value& v, int64_t axes, const OpenRanges& over, Meter& meter);

}  // namespace rangescope::eval
