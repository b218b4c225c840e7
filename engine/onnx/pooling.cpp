// Windows that slide and are reduced.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

Ints kernel_of(const Call& c) {
  const auto k = c.list("kernel_shape");
  if (!k) Call::refuse("it has no kernel_shape");
  return *k;
}

frontend::Pads around(const Ints& begin, const Ints& end) {
  frontend::Pads pads(2, {Dim(0), Dim(0)});
  for (size_t i = 0; i < begin.size(); ++i) pads.emplace_back(Dim(begin[i]), Dim(end[i]));
  return pads;
}

Axes last(size_t n) {
  Ints axes;
  for (size_t i = 0; i < n; ++i) axes.push_back(static_cast<int64_t>(i) - static_cast<int64_t>(n));
  return Axes(axes);
}

Values max_pool(Call& c) {
  const Tensor x = c.x();
  const Spatial s = spatial_of(c, x, kernel_of(c));
  const bool ceil = c.integer("ceil_mode", 0) != 0;
  Values out{as_value(x.max_pool2d(s.kernel, s.strides, s.dilations, s.flat_pads(), ceil).cast(x.dtype()))};
  if (!c.wants(1)) return out;
  // Places count through the whole tensor: row by row, or with storage_order the first spatial axis fastest.
  Tensor at = x.max_pool2d_indices(s.kernel, s.strides, s.dilations, s.flat_pads(), ceil).second.cast(DType::int64);
  const Ints in = spatial_sizes(x);
  const int64_t plane = std::accumulate(in.begin(), in.end(), int64_t{1}, std::multiplies<>());
  if (c.integer("storage_order", 0) != 0) {
    Tensor turned = at * 0, rest = at;
    int64_t step = plane;
    for (size_t i = in.size(); i-- > 0;) {
      step /= in[i];
      turned = turned + rest.mod(Scalar(in[i])) * Scalar(step);
      rest = rest.floordiv(Scalar(in[i]));
    }
    at = turned;
  }
  Shape first(x.ndim(), Dim(1));
  first[0] = x.shape()[0];
  first[1] = x.shape()[1];
  const Tensor planes = c.context().arange(Scalar(x.size(0) * x.size(1))).reshape(first) * Scalar(plane);
  out.push_back(as_value((at + planes.cast(DType::int64)).cast(DType::int64)));
  return out;
}

Values average_pool(Call& c) {
  const Tensor x = c.x();
  const Spatial s = spatial_of(c, x, kernel_of(c));
  const Ints pads = s.flat_pads();
  const bool padded = std::ranges::any_of(pads, [](int64_t p) { return p != 0; });
  const bool counts = c.integer("count_include_pad", 0) != 0 || !padded;
  const bool ceil = c.integer("ceil_mode", 0) != 0;
  return {as_value(x.avg_pool2d(s.kernel, s.strides, s.dilations, pads, ceil, counts).cast(x.dtype()))};
}

Values lp_pool(Call& c) {
  const Tensor x = c.x();
  const Spatial s = spatial_of(c, x, kernel_of(c));
  const auto p = static_cast<double>(c.integer("p", 2));
  const Tensor w = x.abs().pow(p).pad(around(s.begin, s.end)).pool(s.kernel, s.strides, s.dilations);
  return {as_value(w.sum(last(s.kernel.size())).pow(1 / p).cast(x.dtype()))};
}

Ints spatial_axes(const Tensor& x) {
  Ints axes;
  for (size_t i = 2; i < spatial_sizes(x).size() + 2; ++i) axes.push_back(static_cast<int64_t>(i));
  return axes;
}
Values global_average(Call& c) {
  const Tensor x = c.x();
  return {as_value(x.mean(Axes(spatial_axes(x)), true).cast(x.dtype()))};
}
Values global_max(Call& c) {
  const Tensor x = c.x();
  return {as_value(x.max(Axes(spatial_axes(x)), true))};
}
Values global_lp(Call& c) {
  const Tensor x = c.x();
  const auto p = static_cast<double>(c.integer("p", 2));
  return {as_value(x.abs().pow(p).sum(Axes(spatial_axes(x)), true).pow(1 / p).cast(x.dtype()))};
}

// Places count through the tensor that comes out.
Values max_unpool(Call& c) {
  const Tensor x = c.x(0), at = c.x(1);
  const Ints in = x.sizes(), kernel = kernel_of(c), spatial = spatial_sizes(x);
  const Ints strides = c.list("strides").value_or(Ints(kernel.size(), 1)),
             pads = c.list("pads").value_or(Ints(2 * kernel.size(), 0));
  const size_t n = kernel.size();
  if (spatial.size() != n || strides.size() != n || pads.size() != 2 * n) Call::refuse("its window does not fit");
  Ints natural{in[0], in[1]}, wanted;
  for (size_t i = 0; i < n; ++i) natural.push_back((spatial[i] - 1) * strides[i] + kernel[i] - pads[i] - pads[i + n]);
  wanted = c.has(2) ? c.ints(2) : natural;
  for (const Ints& v : {kernel, strides, pads, wanted})
    for (const int64_t x_of_v : v) sane(x_of_v);
  shape_of(natural);
  shape_of(wanted);
  if (wanted.size() != in.size()) Call::refuse("output_shape has not one number for each axis");
  const auto count_of = [](const Ints& s) {
    return std::accumulate(s.begin(), s.end(), int64_t{1}, std::multiplies<>());
  };
  const Tensor flat = c.context().full({Dim(count_of(natural))}, Scalar(0), {.dtype = x.dtype(), .buffer = false});
  const Tensor out = flat.scatter_reduce(0, at.flatten().cast(DType::int32), x.flatten(), "sum").cast(x.dtype());
  frontend::Pads more;
  for (size_t i = 0; i < in.size(); ++i) more.emplace_back(Dim(0), Dim(wanted[i] - natural[i]));
  return {as_value(out.reshape(shape_of(natural)).pad(more))};
}

}  // namespace

std::span<const Operator> pooling_operators() {
  static constexpr Operator kRows[] = {
      {"AveragePool", average_pool}, {"GlobalAveragePool", global_average},
      {"GlobalLpPool", global_lp},   {"GlobalMaxPool", global_max},
      {"LpPool", lp_pool},           {"MaxPool", max_pool},
      {"MaxUnpool", max_unpool},
  };
  return kRows;
}

}  // namespace rangescope::onnx
