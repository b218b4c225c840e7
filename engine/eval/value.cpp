#include "engine/eval/value.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/eval/runs.h"
#include "engine/ir/error.h"

namespace rangescope::eval {

namespace {

bool before(UOp a, UOp b) {
  return !a ? static_cast<bool>(b) : b && a.id() < b.id();
}

// Copies elements of `v`, all of them in row-major order, through `get`.
template <class T, class Get>
void gather_all(const Value& v, std::vector<T>& out, Get get) {
  Walk<1> walk{v.dims, {v.strides}, {v.offset}};
  size_t at = 0;
  walk.each_run([&](const auto& o, int64_t n, const auto& step) {
    for (int64_t j = 0; j < n; ++j) out[at++] = get(o[0] + j * step[0]);
  });
}

}  // namespace

int64_t product(std::span<const int64_t> dims) {
  int64_t n = 1;
  for (const int64_t d : dims)
    if (__builtin_mul_overflow(n, d, &n)) throw GraphError("a value has more elements than fit 64 bits");
  return n;
}

Sizes row_major(std::span<const int64_t> dims) {
  Sizes strides(dims.size());
  int64_t n = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = n;
    n *= std::max<int64_t>(dims[i], 1);
  }
  return strides;
}

int64_t Meter::elements(std::span<const int64_t> dims) const {
  for (const int64_t d : dims)
    if (d < 0) throw GraphError(fmt::format("an axis has the size {}", d));
  if (std::ranges::find(dims, 0) != dims.end()) return 0;
  const int64_t n = product(dims);
  if (n > limits_.elements)
    throw GraphError(fmt::format("a value of {} elements is beyond the evaluator's limit of {}", n, limits_.elements));
  return n;
}

void Meter::work(int64_t elements) {
  used_ += elements;
  if (used_ > limits_.work)
    throw GraphError(fmt::format("evaluating takes more than the limit of {} element operations", limits_.work));
}

int64_t Value::count() const {
  return std::ranges::find(dims, 0) != dims.end() ? 0 : product(dims);
}

int64_t Value::axis_of(UOp range) const {
  const auto it = std::ranges::find(ranges, range);
  return it == ranges.end() ? -1 : it - ranges.begin();
}

Made make_value(DType dtype, UOps ranges, std::span<const int64_t> dims, Meter& meter) {
  const int64_t n = meter.elements(dims);
  meter.work(n);
  Made made;
  if (is_float(dtype))
    made.array->floats.resize(static_cast<size_t>(n));
  else
    made.array->ints.resize(static_cast<size_t>(n));
  made.value.dtype = dtype;
  made.value.data = made.array;
  made.value.ranges = std::move(ranges);
  made.value.dims.assign(dims.begin(), dims.end());
  made.value.strides = row_major(dims);
  return made;
}

Value scalar_value(DType dtype, const Scalar& value) {
  auto array = std::make_shared<Array>();
  if (value.is_invalid()) {
    array->invalid.push_back(1);
    is_float(dtype) ? array->floats.push_back(0) : array->ints.push_back(0);
  } else if (is_float(dtype)) {
    array->floats.push_back(value.as_double());
  } else {
    const Int n = value.to_int();
    if (!n.to_int64() && dtype != DType::uint64)
      throw GraphError("the constant " + value.str() + " does not fit 64 bits: the evaluator cannot hold it");
    array->ints.push_back(static_cast<int64_t>(n.low_bits()));
  }
  Value v;
  v.dtype = dtype;
  v.data = std::move(array);
  return v;
}

Value dense(const Value& v, Meter& meter) {
  const bool whole = v.offset == 0 && v.strides == row_major(v.dims) &&
                     static_cast<int64_t>(std::max(v.data->floats.size(), v.data->ints.size())) == v.count();
  if (whole) return v;
  Made made = make_value(v.dtype, v.ranges, v.dims, meter);
  const Array& a = *v.data;
  if (is_float(v.dtype))
    gather_all(v, made.array->floats, [&](int64_t i) { return a.floats[static_cast<size_t>(i)]; });
  else
    gather_all(v, made.array->ints, [&](int64_t i) { return a.ints[static_cast<size_t>(i)]; });
  if (v.has_invalid()) {
    made.array->invalid.resize(static_cast<size_t>(v.count()));
    gather_all(v, made.array->invalid, [&](int64_t i) { return a.invalid[static_cast<size_t>(i)]; });
  }
  return made.value;
}

double float_at(const Array& a, DType dtype, int64_t i) {
  const auto k = static_cast<size_t>(i);
  if (is_float(dtype)) return a.floats[k];
  return dtype == DType::uint64 ? static_cast<double>(static_cast<uint64_t>(a.ints[k]))
                                : static_cast<double>(a.ints[k]);
}

int64_t int_at(const Array& a, int64_t i) {
  return a.ints[static_cast<size_t>(i)];
}

Value converted(const Value& v, DType dtype, Meter& meter) {
  Value out = v;
  out.dtype = dtype;
  if (is_float(v.dtype) == is_float(dtype)) return out;
  const size_t n = std::max(v.data->floats.size(), v.data->ints.size());
  meter.work(static_cast<int64_t>(n));
  auto array = std::make_shared<Array>();
  array->invalid = v.data->invalid;
  if (is_float(dtype)) {
    array->floats.resize(n);
    for (size_t i = 0; i < n; ++i) array->floats[i] = float_at(*v.data, v.dtype, static_cast<int64_t>(i));
  } else {
    array->ints.resize(n);
    for (size_t i = 0; i < n; ++i) {
      const double x = v.data->floats[i];
      // what does not fit has no value in C; any fixed one will do
      array->ints[i] = x >= -0x1p63 && x < 0x1p63  ? static_cast<int64_t>(x)
                       : x >= 0x1p63 && x < 0x1p64 ? static_cast<int64_t>(static_cast<uint64_t>(x))
                                                   : 0;
    }
  }
  out.data = std::move(array);
  return out;
}

Value permuted(const Value& v, std::span<const int64_t> order) {
  Value out = v;
  const size_t r = v.range_count();
  if (order.size() != v.rank()) throw GraphError("a permutation does not fit its value");
  for (size_t i = 0; i < order.size(); ++i) {
    out.dims[r + i] = v.dims.at(r + static_cast<size_t>(order[i]));
    out.strides[r + i] = v.strides.at(r + static_cast<size_t>(order[i]));
  }
  return out;
}

Value expanded(const Value& v, std::span<const int64_t> shape) {
  Value out = v;
  const auto at = static_cast<std::ptrdiff_t>(v.range_count());
  out.dims.insert(out.dims.begin() + at, shape.begin(), shape.end());
  out.strides.insert(out.strides.begin() + at, shape.size(), 0);
  return out;
}

Value flipped(const Value& v, const std::vector<bool>& axes) {
  Value out = v;
  if (axes.size() != v.rank()) throw GraphError("a flip does not fit its value");
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t d = v.range_count() + i;
    if (!axes[i] || v.dims[d] == 0) continue;
    out.offset += v.strides[d] * (v.dims[d] - 1);
    out.strides[d] = -v.strides[d];
  }
  return out;
}

Value shrunk(const Value& v, std::span<const int64_t> offset, std::span<const int64_t> size) {
  Value out = v;
  if (offset.size() != v.rank() || size.size() != v.rank()) throw GraphError("a shrink does not fit its value");
  for (size_t i = 0; i < offset.size(); ++i) {
    const size_t d = v.range_count() + i;
    if (offset[i] < 0 || size[i] < 0 || offset[i] > v.dims[d] - size[i])
      throw GraphError(
          fmt::format("a shrink to {} elements from {} on leaves an axis of {}", size[i], offset[i], v.dims[d]));
    out.offset += v.strides[d] * offset[i];
    out.dims[d] = size[i];
  }
  return out;
}

Value at_range(const Value& v, UOp range, int64_t place) {
  const int64_t axis = v.axis_of(range);
  if (axis < 0) return v;
  Value out = v;
  if (place < 0 || place >= v.dims[static_cast<size_t>(axis)]) throw GraphError("a place beyond a range's end");
  out.offset += v.strides[static_cast<size_t>(axis)] * place;
  out.ranges.erase(out.ranges.begin() + axis);
  out.dims.erase(out.dims.begin() + axis);
  out.strides.erase(out.strides.begin() + axis);
  return out;
}

Value reshaped(const Value& v, std::span<const int64_t> shape, Meter& meter) {
  const size_t r = v.range_count();
  const auto fits = [](std::span<const int64_t> d) {
    return std::ranges::find(d, 0) != d.end() ? int64_t{0} : product(d);
  };
  if (fits(v.shape()) != fits(shape))
    throw GraphError(fmt::format("a reshape from {} to {} elements", fits(v.shape()), fits(shape)));
  if (std::ranges::equal(v.shape(), shape)) return v;
  const auto with_shape = [&](const Value& from, const Sizes& strides) {
    Value out = from;
    out.dims.resize(r);
    out.strides.resize(r);
    out.dims.insert(out.dims.end(), shape.begin(), shape.end());
    out.strides.insert(out.strides.end(), strides.begin(), strides.end());
    return out;
  };
  // Without a copy where groups of old axes, each in one piece, become groups of new ones.
  Sizes old_dims, old_strides, strides(shape.size(), 0);
  for (size_t d = r; d < v.dims.size(); ++d)
    if (v.dims[d] != 1) {
      old_dims.push_back(v.dims[d]);
      old_strides.push_back(v.strides[d]);
    }
  bool view = fits(shape) > 0;
  for (size_t i = 0, j = 0; view && i < old_dims.size() && j < shape.size();) {
    size_t i_end = i + 1, j_end = j + 1;
    int64_t old_size = old_dims[i], new_size = shape[j];
    while (old_size != new_size)
      if (new_size < old_size)
        new_size *= shape[j_end++];
      else
        old_size *= old_dims[i_end++];
    for (size_t k = i; k + 1 < i_end; ++k) view = view && old_strides[k] == old_strides[k + 1] * old_dims[k + 1];
    int64_t step = old_strides[i_end - 1];
    for (size_t k = j_end; k-- > j;) {
      strides[k] = step;
      step *= shape[k];
    }
    i = i_end;
    j = j_end;
  }
  if (view) return with_shape(v, strides);
  // keep repeated ranges repeated: copy the shape's part alone where the ranges only repeat
  Value flat = v;
  Sizes range_dims(v.dims.begin(), v.dims.begin() + static_cast<std::ptrdiff_t>(r));
  for (size_t k = 0; k < r; ++k)
    if (v.strides[k] == 0 && v.dims[k] > 0) flat.dims[k] = 1;
  flat = dense(flat, meter);
  Value out = with_shape(flat, row_major(shape));
  for (size_t k = 0; k < r; ++k)
    if (v.strides[k] == 0) {
      out.dims[k] = range_dims[k];
      out.strides[k] = 0;
    }
  return out;
}

OpenRanges open_ranges(std::span<const Value> values) {
  OpenRanges open;
  for (const Value& v : values)
    for (size_t i = 0; i < v.ranges.size(); ++i) {
      const auto at = std::ranges::lower_bound(open.ranges, v.ranges[i], before);
      const auto k = at - open.ranges.begin();
      if (at != open.ranges.end() && *at == v.ranges[i]) {
        if (open.sizes[static_cast<size_t>(k)] != v.dims[i])
          throw GraphError(v.ranges[i] ? fmt::format("range {} has two sizes", v.ranges[i].id())
                                       : std::string("values on different numbers of devices meet"));
        continue;
      }
      open.ranges.insert(at, v.ranges[i]);
      open.sizes.insert(open.sizes.begin() + k, v.dims[i]);
    }
  return open;
}

Sizes aligned_strides(const Value& v, std::span<const UOp> ranges, std::span<const int64_t> shape) {
  Sizes out(ranges.size() + shape.size(), 0);
  for (size_t i = 0; i < v.ranges.size(); ++i) {
    const auto at = std::ranges::find(ranges, v.ranges[i]);
    if (at == ranges.end()) throw GraphError("a value depends on a range that is not open");
    out[static_cast<size_t>(at - ranges.begin())] = v.strides[i];
  }
  if (v.rank() > shape.size()) throw GraphError("a value has more axes than its user");
  const size_t missing = shape.size() - v.rank();
  for (size_t i = 0; i < v.rank(); ++i) {
    const size_t d = v.range_count() + i;
    if (v.dims[d] == shape[missing + i])
      out[ranges.size() + missing + i] = v.strides[d];
    else if (v.dims[d] != 1)
      throw GraphError(fmt::format("an axis of {} meets one of {}", v.dims[d], shape[missing + i]));
  }
  return out;
}

Value aligned(const Value& v, const OpenRanges& open, std::span<const int64_t> shape) {
  Value out = v;
  out.strides = aligned_strides(v, open.ranges, shape);
  out.ranges = open.ranges;
  out.dims = open.sizes;
  out.dims.insert(out.dims.end(), shape.begin(), shape.end());
  return out;
}

Sizes broadcast(std::span<const Value> values) {
  size_t rank = 0;
  for (const Value& v : values) rank = std::max(rank, v.rank());
  Sizes out(rank, 1);
  for (const Value& v : values)
    for (size_t i = 0; i < v.rank(); ++i) {
      int64_t& d = out[rank - v.rank() + i];
      const int64_t s = v.dims[v.range_count() + i];
      if (s == 1 || s == d) continue;
      if (d != 1) throw GraphError(fmt::format("axes of {} and {} meet", d, s));
      d = s;
    }
  return out;
}

Sizes as_sizes(const Value& v, Meter& meter) {
  if (!v.ranges.empty()) throw GraphError("a size or an offset depends on a range");
  if (is_float(v.dtype)) throw GraphError("a size or an offset is no integer");
  const Value d = dense(v, meter);
  if (d.has_invalid()) throw GraphError("a size or an offset is the invalid value");
  return {d.data->ints.begin(), d.data->ints.end()};
}

}  // namespace rangescope::eval
