// Convolutions.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

Ints for_axes(const Call& c, const char* name, size_t n, int64_t otherwise) {
  Ints v = c.list(name).value_or(Ints(n, otherwise));
  if (v.size() != n) Call::refuse(fmt::format("{} has {} numbers for {} axes", name, v.size(), n));
  for (const int64_t x : v) sane(x);
  return v;
}

Ints kernel_of(const Call& c, const Tensor& w) {
  const Ints s = w.sizes();
  if (s.size() < 3) Call::refuse("its weights have less than 3 axes");
  Ints kernel(s.begin() + 2, s.end());
  if (const auto said = c.list("kernel_shape"); said && *said != kernel)
    Call::refuse("kernel_shape is not that of the weights");
  return kernel;
}

Values conv(Call& c) {
  const Tensor x = c.x(0), w = c.x(1);
  return {as_value(convolved(c, x, w, c.maybe(2)).cast(x.dtype()))};
}

Values conv_transpose(Call& c) {
  const Tensor x = c.x(0), w = c.x(1);
  const Ints kernel = kernel_of(c, w), in = spatial_sizes(x);
  const size_t n = kernel.size();
  if (in.size() != n) Call::refuse("input and weights have different numbers of axes");
  const Ints strides = for_axes(c, "strides", n, 1), dilations = for_axes(c, "dilations", n, 1),
             extra = for_axes(c, "output_padding", n, 0);
  Ints pads = for_axes(c, "pads", 2 * n, 0);
  const std::string automatic = c.text("auto_pad", "NOTSET");
  auto wanted = c.list("output_shape");
  if (wanted && wanted->size() == n + 2) wanted->erase(wanted->begin(), wanted->begin() + 2);
  if (wanted && wanted->size() != n) Call::refuse("output_shape has not one number for each axis");
  if (!wanted && automatic.starts_with("SAME")) {
    wanted.emplace();
    for (size_t i = 0; i < n; ++i) wanted->push_back(in[i] * strides[i]);
  }
  for (size_t i = 0; i < n; ++i)
    if (strides[i] < 1 || dilations[i] < 1) Call::refuse("strides and dilations are 1 at least");
  // All of it, then cut: pads are what is cut off; where the size is asked for, they follow from it.
  const Tensor whole =
      x.conv_transpose2d(w, std::nullopt, c.integer("group", 1), {.stride = strides, .dilation = dilations}, {0});
  frontend::Pads cut(2, {Dim(0), Dim(0)});
  for (size_t i = 0; i < n; ++i) {
    const int64_t full = (in[i] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1;
    if (wanted) {
      const int64_t total = full + extra[i] - (*wanted)[i];
      const int64_t half = total >> 1;  // rounded down where more is added than cut, too
      pads[i] = automatic == "SAME_UPPER" ? half : total - half;
      pads[i + n] = total - pads[i];
    }
    cut.emplace_back(Dim(-pads[i]), Dim(extra[i] - pads[i + n]));
  }
  Tensor y = whole.pad(cut);
  if (c.has(2)) y = y + by_channel(c.x(2), y);
  return {as_value(y.cast(x.dtype()))};
}

}  // namespace

Ints spatial_sizes(const Tensor& x) {
  const Ints s = x.sizes();
  if (s.size() < 3)
    Call::refuse(fmt::format("it needs batch, channels and spatial axes, not {}", to_string(x.shape())));
  return Ints(s.begin() + 2, s.end());
}

Spatial spatial_of(const Call& c, const Tensor& x, const Ints& kernel) {
  const Ints in = spatial_sizes(x);
  const size_t n = kernel.size();
  if (in.size() != n)
    Call::refuse(fmt::format("a window of {} axes over {} with {}", n, to_string(x.shape()), in.size()));
  Spatial s{kernel, for_axes(c, "strides", n, 1), for_axes(c, "dilations", n, 1), Ints(n, 0), Ints(n, 0)};
  for (const int64_t k : kernel) sane(k);
  for (size_t i = 0; i < n; ++i)
    if (kernel[i] < 1 || s.strides[i] < 1 || s.dilations[i] < 1)
      Call::refuse("windows, strides and dilations are 1 at least");
  const std::string automatic = c.text("auto_pad", "NOTSET");
  if (automatic == "NOTSET" || automatic.empty()) {
    const Ints pads = for_axes(c, "pads", 2 * n, 0);
    for (size_t i = 0; i < n; ++i) s.begin[i] = pads[i], s.end[i] = pads[i + n];
  } else if (automatic.starts_with("SAME")) {
    for (size_t i = 0; i < n; ++i) {
      const int64_t out = (in[i] + s.strides[i] - 1) / s.strides[i];
      const int64_t span = (kernel[i] - 1) * s.dilations[i] + 1;
      const int64_t total = std::max<int64_t>((out - 1) * s.strides[i] + span - in[i], 0);
      s.begin[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      s.end[i] = total - s.begin[i];
    }
  } else if (automatic != "VALID") {
    Call::refuse(fmt::format("the padding \"{}\"", automatic));
  }
  return s;
}

Ints Spatial::flat_pads() const {
  Ints out;
  for (size_t i = begin.size(); i-- > 0;) out.insert(out.end(), {begin[i], end[i]});
  return out;
}

Tensor convolved(const Call& c, const Tensor& x, const Tensor& w, const std::optional<Tensor>& bias,
                 std::optional<DType> dtype) {
  const Spatial s = spatial_of(c, x, kernel_of(c, w));
  return x.conv2d(w, bias, c.integer("group", 1),
                  {.stride = s.strides, .dilation = s.dilations, .padding = s.flat_pads()}, dtype);
}

std::span<const Operator> convolution_operators() {
  static constexpr Operator kRows[] = {
      {"Conv", conv},
      {"ConvTranspose", conv_transpose},
  };
  return kRows;
}

}  // namespace rangescope::onnx
