#include "engine/eval/shape_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "engine/eval/elementwise.h"
#include "engine/eval/runs.h"
#include "engine/ir/error.h"
#include "engine/ir/scalar_alu.h"

namespace rangescope::eval {

namespace {

// Copies elements of `from` (walked as 1) to `to` (walked as 0).
void copy_elements(Walk<2> walk, const Value& from, Array& to) {
  const Array& a = *from.data;
  const bool floats = is_float(from.dtype);
  if (from.has_invalid() && to.invalid.empty()) to.invalid.resize(std::max(to.floats.size(), to.ints.size()), 0);
  walk.each_run([&](const auto& o, int64_t n, const auto& s) {
    for (int64_t j = 0; j < n; ++j) {
      const auto t = static_cast<size_t>(o[0] + j * s[0]), f = static_cast<size_t>(o[1] + j * s[1]);
      if (floats)
        to.floats[t] = a.floats[f];
      else
        to.ints[t] = a.ints[f];
      if (!to.invalid.empty()) to.invalid[t] = from.has_invalid() ? a.invalid[f] : 0;
    }
  });
}

}  // namespace

Value padded(const Value& v, std::span<const int64_t> offset, std::span<const int64_t> size, bool outside_invalid,
             Meter& meter) {
  const size_t r = v.range_count();
  if (offset.size() != v.rank() || size.size() != v.rank()) throw GraphError("a pad does not fit its value");
  Sizes dims(v.dims.begin(), v.dims.begin() + static_cast<std::ptrdiff_t>(r));
  Sizes whole = dims;
  for (size_t i = 0; i < r; ++i)
    if (v.strides[i] == 0 && dims[i] > 0) dims[i] = 1;  // what repeats is padded once
  dims.insert(dims.end(), size.begin(), size.end());
  Made made = make_value(v.dtype, v.ranges, dims, meter);
  const auto n = static_cast<size_t>(made.value.count());
  Walk<2> walk{dims, {made.value.strides, v.strides}, {0, v.offset}};
  for (size_t i = 0; i < size.size(); ++i) {
    if (offset[i] < 0 || offset[i] + v.dims[r + i] > size[i])
      throw GraphError(fmt::format("a pad of {} elements to {} from {} on", v.dims[r + i], size[i], offset[i]));
    walk.dims[r + i] = v.dims[r + i];
    walk.offsets[0] += offset[i] * made.value.strides[r + i];
  }
  if (outside_invalid) made.array->invalid.assign(n, 1);
  copy_elements(walk, v, *made.array);
  for (size_t i = 0; i < r; ++i)
    if (dims[i] != whole[i]) {
      made.value.dims[i] = whole[i];
      made.value.strides[i] = 0;
    }
  return made.value;
}

Value stacked(DType dtype, std::span<const Value> values, Meter& meter) {
  if (values.empty()) return scalar_value(dtype, Scalar(0));
  const OpenRanges open = open_ranges(values);
  const Sizes shape = broadcast(values);
  Sizes dims = open.sizes;
  dims.push_back(static_cast<int64_t>(values.size()));
  dims.insert(dims.end(), shape.begin(), shape.end());
  Made made = make_value(dtype, open.ranges, dims, meter);
  const auto axis = static_cast<std::ptrdiff_t>(open.ranges.size());
  Sizes inner_dims = dims, inner_strides = made.value.strides;
  inner_dims.erase(inner_dims.begin() + axis);
  inner_strides.erase(inner_strides.begin() + axis);
  for (size_t k = 0; k < values.size(); ++k) {
    const Value v = converted(values[k], dtype, meter);
    Walk<2> walk{inner_dims,
                 {inner_strides, aligned_strides(v, open.ranges, shape)},
                 {static_cast<int64_t>(k) * made.value.strides[static_cast<size_t>(axis)], v.offset}};
    copy_elements(walk, v, *made.array);
  }
  return made.value;
}

Value device_stack(std::span<const Value> values, Meter& meter) {
  std::vector<Value> each;
  for (size_t i = 0; i < values.size(); ++i) {
    Value v = at_range(values[i], kDeviceAxis, static_cast<int64_t>(i));
    if (i > 0 && v.rank() != each[0].rank()) v = reshaped(v, each[0].shape(), meter);  // parts of buffers may be flat
    each.push_back(std::move(v));
  }
  Value v = stacked(each.at(0).dtype, each, meter);
  // the stacked axis moves in front: it becomes the device axis
  const auto axis = static_cast<std::ptrdiff_t>(v.range_count());
  const int64_t size = v.dims[static_cast<size_t>(axis)], stride = v.strides[static_cast<size_t>(axis)];
  v.dims.erase(v.dims.begin() + axis);
  v.strides.erase(v.strides.begin() + axis);
  v.ranges.insert(v.ranges.begin(), kDeviceAxis);
  v.dims.insert(v.dims.begin(), size);
  v.strides.insert(v.strides.begin(), stride);
  return v;
}

Value shrunk_by_device(const Value& v, std::span<const Sizes> offsets, std::span<const int64_t> size, Meter& meter) {
  std::vector<Value> each;
  for (size_t d = 0; d < offsets.size(); ++d)
    each.push_back(shrunk(at_range(v, kDeviceAxis, static_cast<int64_t>(d)), offsets[d], size));
  return device_stack(each, meter);
}

Value indexed(const Value& from, std::span<const Value> indices, bool keep_invalid, Meter& meter) {
  if (indices.size() > from.rank())
    throw GraphError(fmt::format("{} indices into a value of {} axes", indices.size(), from.rank()));
  // Each index is a value of its own shape; the result has these shapes one after the other, then what is left.
  const size_t r = from.range_count();
  std::vector<Value> all{from};
  all[0].dims.resize(r);
  all[0].strides.resize(r);
  Sizes shape;
  for (const Value& index : indices) shape.insert(shape.end(), index.shape().begin(), index.shape().end());
  const size_t index_rank = shape.size();
  size_t before = 0;
  for (const Value& index : indices) {
    if (is_float(index.dtype)) throw GraphError("an index is a float");
    Value v = index;  // spread over the axes of all the indices
    const size_t rank = index.rank(), at = v.range_count();
    v.dims.insert(v.dims.begin() + static_cast<std::ptrdiff_t>(at), before, 1);
    v.strides.insert(v.strides.begin() + static_cast<std::ptrdiff_t>(at), before, 0);
    v.dims.insert(v.dims.end(), index_rank - before - rank, 1);
    v.strides.insert(v.strides.end(), index_rank - before - rank, 0);
    before += rank;
    all.push_back(std::move(v));
  }
  const OpenRanges open = open_ranges(all);
  // where each element is read: a sum over the indices
  Sizes dims = open.sizes;
  dims.insert(dims.end(), shape.begin(), shape.end());
  const int64_t count = meter.elements(dims);
  meter.work(count * static_cast<int64_t>(indices.size() + 1));
  std::vector<int64_t> place(static_cast<size_t>(count), from.offset);
  std::vector<uint8_t> invalid;
  const Sizes own = row_major(dims);
  {
    Walk<2> walk{dims, {own, aligned_strides(all[0], open.ranges, shape)}, {0, 0}};
    walk.each_run([&](const auto& o, int64_t n, const auto& s) {
      for (int64_t j = 0; j < n; ++j) place[static_cast<size_t>(o[0] + j * s[0])] += o[1] + j * s[1];
    });
  }
  for (size_t k = 0; k < indices.size(); ++k) {
    const Value& index = all[k + 1];
    const int64_t size = from.dims[r + k], stride = from.strides[r + k];
    Walk<2> walk{dims, {own, aligned_strides(index, open.ranges, shape)}, {0, index.offset}};
    if (index.has_invalid() && invalid.empty()) invalid.assign(static_cast<size_t>(count), 0);
    walk.each_run([&](const auto& o, int64_t n, const auto& s) {
      for (int64_t j = 0; j < n; ++j) {
        const auto f = static_cast<size_t>(o[1] + j * s[1]), t = static_cast<size_t>(o[0] + j * s[0]);
        if (index.has_invalid() && index.data->invalid[f] != 0) {
          invalid[t] = 1;
          continue;
        }
        const int64_t at = index.data->ints[f];
        if (at < 0 || at >= size)
          throw GraphError(fmt::format("element {} of an axis of {} is read or written", at, size));
        place[t] += at * stride;
      }
    });
  }
  // read
  Sizes rest(from.dims.begin() + static_cast<std::ptrdiff_t>(r + indices.size()), from.dims.end());
  Sizes rest_strides(from.strides.begin() + static_cast<std::ptrdiff_t>(r + indices.size()), from.strides.end());
  Sizes out_dims = dims;
  out_dims.insert(out_dims.end(), rest.begin(), rest.end());
  Made made = make_value(from.dtype, open.ranges, out_dims, meter);
  const bool floats = is_float(from.dtype);
  Array& out = *made.array;
  if (from.has_invalid() || (keep_invalid && !invalid.empty()))
    out.invalid.assign(std::max(out.floats.size(), out.ints.size()), 0);
  const int64_t inner = std::ranges::find(rest, 0) != rest.end() ? 0 : product(rest);
  for (int64_t i = 0; i < count; ++i) {
    const auto place_at = place[static_cast<size_t>(i)];
    if (!invalid.empty() && invalid[static_cast<size_t>(i)] != 0) {
      if (keep_invalid) std::fill_n(out.invalid.begin() + static_cast<std::ptrdiff_t>(i * inner), inner, uint8_t{1});
      continue;
    }
    Walk<2> walk{rest, {row_major(rest), rest_strides}, {i * inner, place_at}};
    if (rest.empty()) {
      const auto t = static_cast<size_t>(i), f = static_cast<size_t>(place_at);
      if (floats)
        out.floats[t] = from.data->floats[f];
      else
        out.ints[t] = from.data->ints[f];
      if (from.has_invalid()) out.invalid[t] = from.data->invalid[f];
    } else {
      copy_elements(walk, from, out);
    }
  }
  return made.value;
}

Value staged(const Value& v, std::span<const Value> at, std::span<const int64_t> sizes, Meter& meter) {
  // A plain range (its places in order, open in `v` or not) only moves its axis; anything else scatters.
  std::vector<Value> all{v};
  all.insert(all.end(), at.begin(), at.end());
  const OpenRanges open = open_ranges(all);
  UOps left;
  Sizes left_sizes;
  std::vector<bool> closes(open.ranges.size(), false);
  for (const Value& a : at)
    for (const UOp range : a.ranges)
      closes[static_cast<size_t>(std::ranges::find(open.ranges, range) - open.ranges.begin())] = true;
  for (size_t i = 0; i < open.ranges.size(); ++i)
    if (!closes[i]) {
      left.push_back(open.ranges[i]);
      left_sizes.push_back(open.sizes[i]);
    }
  Sizes dims = left_sizes;
  dims.insert(dims.end(), sizes.begin(), sizes.end());
  dims.insert(dims.end(), v.shape().begin(), v.shape().end());
  Made made = make_value(v.dtype, left, dims, meter);
  // Which place an element goes to, over the open ranges.
  Value place = scalar_value(DType::int64, Scalar(0));
  for (size_t k = 0; k < at.size(); ++k) {
    const std::array<Value, 2> scaled{at[k], scalar_value(DType::int64, Scalar(made.value.strides[left.size() + k]))};
    const std::array<Value, 2> sum{place, elementwise(Op::MUL, DType::int64, scaled, meter)};
    place = elementwise(Op::ADD, DType::int64, sum, meter);
  }
  const Sizes no_shape;
  Sizes left_strides(open.ranges.size(), 0);
  for (size_t i = 0, k = 0; i < open.ranges.size(); ++i)
    if (!closes[i]) left_strides[i] = made.value.strides[k++];
  Value outer = v;
  outer.dims.resize(v.range_count());
  outer.strides.resize(v.range_count());
  const Sizes inner_dims(v.shape().begin(), v.shape().end());
  const Sizes inner_from(v.strides.begin() + static_cast<std::ptrdiff_t>(v.range_count()), v.strides.end());
  const Sizes inner_to(made.value.strides.begin() + static_cast<std::ptrdiff_t>(left.size() + at.size()),
                       made.value.strides.end());
  meter.work(open.sizes.empty() ? 1 : product(open.sizes));
  Walk<3> walk{
      open.sizes,
      {left_strides, aligned_strides(place, open.ranges, no_shape), aligned_strides(outer, open.ranges, no_shape)},
      {0, place.offset, v.offset}};
  const bool floats = is_float(v.dtype);
  Array& out = *made.array;
  if (v.has_invalid()) out.invalid.assign(std::max(out.floats.size(), out.ints.size()), 0);
  const int64_t limit = made.value.count();
  walk.each_run([&](const auto& o, int64_t n, const auto& s) {
    for (int64_t j = 0; j < n; ++j) {
      const auto p = static_cast<size_t>(o[1] + j * s[1]);
      if (place.has_invalid() && place.data->invalid[p] != 0) continue;
      const int64_t to = o[0] + j * s[0] + place.data->ints[p], from = o[2] + j * s[2];
      if (to < 0 || to >= limit) throw GraphError("a stage writes outside of its buffer");
      if (inner_dims.empty()) {
        if (floats)
          out.floats[static_cast<size_t>(to)] = v.data->floats[static_cast<size_t>(from)];
        else
          out.ints[static_cast<size_t>(to)] = v.data->ints[static_cast<size_t>(from)];
        if (v.has_invalid()) out.invalid[static_cast<size_t>(to)] = v.data->invalid[static_cast<size_t>(from)];
      } else {
        copy_elements(Walk<2>{inner_dims, {inner_to, inner_from}, {to, from}}, v, out);
      }
    }
  });
  return made.value;
}

Value joined(const Value& shards, std::span<const int64_t> axes, std::span<const Value> at,
             std::span<const int64_t> counts, Meter& meter) {
  const int64_t device_axis = shards.axis_of(kDeviceAxis);
  int64_t devices = device_axis < 0 ? 1 : shards.dims[static_cast<size_t>(device_axis)];
  for (const Value& a : at)
    if (const int64_t axis = a.axis_of(kDeviceAxis); axis >= 0) devices = a.dims[static_cast<size_t>(axis)];
  const Value first = at_range(shards, kDeviceAxis, 0);
  Sizes dims = first.dims;
  for (size_t k = 0; k < axes.size(); ++k) dims.at(first.range_count() + static_cast<size_t>(axes[k])) *= counts[k];
  Made made = make_value(shards.dtype, first.ranges, dims, meter);
  for (int64_t d = devices; d-- > 0;) {  // where several devices hold the same shard, the first device's counts
    const Value shard = at_range(shards, kDeviceAxis, d);
    Walk<2> walk{shard.dims, {made.value.strides, shard.strides}, {0, shard.offset}};
    for (size_t k = 0; k < axes.size(); ++k) {
      const Value here = dense(at_range(at[k], kDeviceAxis, d), meter);
      if (here.count() != 1 || is_float(here.dtype)) throw GraphError("which shard a device holds is no one number");
      const size_t axis = first.range_count() + static_cast<size_t>(axes[k]);
      const int64_t which = here.data->ints[0];
      if (which < 0 || which >= counts[k]) throw GraphError("a device holds a shard that is not there");
      walk.offsets[0] += which * shard.dims[axis] * made.value.strides[axis];
    }
    copy_elements(walk, shard, *made.array);
  }
  return made.value;
}

namespace {

Scalar reduce_start(Op op, DType dtype) {
  if (op == Op::MAX && dtype == DType::weakint) return Scalar(INT64_MIN);
  return identity_element(op, dtype);
}

}  // namespace

Value reduced(Op op, DType dtype, const Value& v, int64_t axes, const OpenRanges& over, Meter& meter) {
  if (axes < 0 || static_cast<size_t>(axes) > v.rank()) throw GraphError("a reduce over axes that are not there");
  Sizes dims, held, strides, from, away, away_from;
  UOps left;
  for (size_t i = 0; i < v.dims.size(); ++i) {
    const bool is_range = i < v.range_count();
    const bool goes = is_range ? std::ranges::find(over.ranges, v.ranges[i]) != over.ranges.end()
                               : i < v.range_count() + static_cast<size_t>(axes);
    if (goes) {
      away.push_back(v.dims[i]);
      away_from.push_back(v.strides[i]);
      continue;
    }
    if (is_range) left.push_back(v.ranges[i]);
    dims.push_back(v.dims[i]);
    held.push_back(v.strides[i] == 0 && v.dims[i] > 0 ? 1 : v.dims[i]);
    from.push_back(v.strides[i]);
  }
  for (size_t i = 0; i < over.ranges.size(); ++i)
    if (v.axis_of(over.ranges[i]) < 0) {  // the same number at every step still counts as often
      away.push_back(over.sizes[i]);
      away_from.push_back(0);
    }
  Made made = make_value(dtype, left, held, meter);
  const int64_t away_count = std::ranges::find(away, 0) != away.end() ? 0 : product(away);
  meter.work(made.value.count() * away_count);
  const Value in = converted(v, dtype, meter);
  const bool floats = is_float(dtype);
  const Scalar start = reduce_start(op, dtype);
  Array& out = *made.array;
  if (floats && op == Op::MAX)  // not every dtype has the infinity
    std::ranges::fill(out.floats, -std::numeric_limits<double>::infinity());
  else if (floats)
    std::ranges::fill(out.floats, start.as_double());
  else
    std::ranges::fill(out.ints, static_cast<int64_t>(start.to_int().low_bits()));
  const auto fold = [&](auto& into, const auto& source, auto f) {
    if (away_count == 0) return;
    Walk<2> all{held, {made.value.strides, from}, {0, v.offset}};
    all.dims.insert(all.dims.end(), away.begin(), away.end());
    all.strides[0].insert(all.strides[0].end(), away.size(), 0);
    all.strides[1].insert(all.strides[1].end(), away_from.begin(), away_from.end());
    all.each_run([&](const auto& o, int64_t n, const auto& s) {
      if (s[0] == 0) {
        auto r = into[static_cast<size_t>(o[0])];
        for (int64_t j = 0; j < n; ++j) r = f(r, source[static_cast<size_t>(o[1] + j * s[1])]);
        into[static_cast<size_t>(o[0])] = r;
        return;
      }
      for (int64_t j = 0; j < n; ++j) {
        auto& r = into[static_cast<size_t>(o[0] + j * s[0])];
        r = f(r, source[static_cast<size_t>(o[1] + j * s[1])]);
      }
    });
  };
  if (floats) {
    const auto run = [&](auto f) { fold(out.floats, in.data->floats, f); };
    if (op == Op::ADD && meter.rounds(dtype))
      run([&](double a, double b) { return machine_rounded(a + b, dtype); });
    else if (op == Op::ADD)
      run([](double a, double b) { return a + b; });
    else if (op == Op::MUL && meter.rounds(dtype))
      run([&](double a, double b) { return machine_rounded(a * b, dtype); });
    else if (op == Op::MUL)
      run([](double a, double b) { return a * b; });
    else
      run([](double a, double b) { return a < b ? b : a; });
  } else {
    const auto run = [&](auto f) { fold(out.ints, in.data->ints, f); };
    using U = uint64_t;
    if (op == Op::ADD)
      run([&](int64_t a, int64_t b) { return wrapped(static_cast<int64_t>(U(a) + U(b)), dtype); });
    else if (op == Op::MUL)
      run([&](int64_t a, int64_t b) { return wrapped(static_cast<int64_t>(U(a) * U(b)), dtype); });
    else if (dtype == DType::uint64)
      run([](int64_t a, int64_t b) { return static_cast<int64_t>(std::max(U(a), U(b))); });
    else
      run([](int64_t a, int64_t b) { return std::max(a, b); });
  }
  if (v.has_invalid()) {  // what an invalid element goes into is invalid
    out.invalid.assign(std::max(out.floats.size(), out.ints.size()), 0);
    fold(out.invalid, in.data->invalid, [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a | b); });
  }
  for (size_t i = 0; i < dims.size(); ++i)
    if (held[i] != dims[i]) {
      made.value.dims[i] = dims[i];
      made.value.strides[i] = 0;
    }
  return made.value;
}

}  // namespace rangescope::eval
