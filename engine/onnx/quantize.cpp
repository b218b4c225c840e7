// Numbers of 8 bits with a scale and a zero point.

#include <fmt/format.h>

#include <algorithm>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

// One number for all, or one for each place along an axis.
Tensor spread(const Tensor& t, size_t ndim, int64_t axis) {
  if (t.ndim() == 0 || (t.ndim() == 1 && t.numel() == 1)) return t.reshape(Shape{});
  if (t.ndim() != 1) Call::refuse("scales and zero points are numbers or lists");
  Shape shape(ndim, Dim(1));
  shape[static_cast<size_t>(axis)] = Dim(-1);
  return t.reshape(shape);
}

Tensor quantized(const Tensor& x, const Tensor& scale, const std::optional<Tensor>& zero, DType to) {
  if (to != DType::uint8 && to != DType::int8) Call::refuse(fmt::format("to {}", dtype_name(to)));
  const double low = to == DType::uint8 ? 0 : -128, high = to == DType::uint8 ? 255 : 127;
  // The last bit of the quotient decides where it is rounded to.
  Tensor y = exact_quotient(x, scale).round();
  if (zero) y = y + zero->cast(x.dtype());
  return y.maximum(low).minimum(high).cast(DType::int32).cast(to);
}

Values quantize_linear(Call& c) {
  Tensor x = c.x(0);
  if (!is_float(x.dtype())) x = x.cast(DType::float32);
  const int64_t axis = x.ndim() > 1 ? c.axis("axis", 1, x.ndim()) : 0;
  const Tensor scale = spread(c.x(1), x.ndim(), axis);
  std::optional<Tensor> zero = c.maybe(2);
  const DType to = zero ? zero->dtype() : DType::uint8;
  if (zero) zero = spread(*zero, x.ndim(), axis);
  return {as_value(quantized(x, scale, zero, to))};
}

// Less its zero point, in int32.
Tensor centred(const Tensor& x, const std::optional<Tensor>& zero, int64_t axis) {
  const Tensor wide = x.cast(DType::int32);
  return zero ? wide - spread(*zero, x.ndim(), axis).cast(DType::int32) : wide;
}

Values dequantize_linear(Call& c) {
  const Tensor x = c.x(0), scale = c.x(1);
  const int64_t axis = x.ndim() > 1 ? c.axis("axis", 1, x.ndim()) : 0;
  return {
      as_value((centred(x, c.maybe(2), axis).cast(scale.dtype()) * spread(scale, x.ndim(), axis)).cast(scale.dtype()))};
}

Values dynamic_quantize_linear(Call& c) {
  const Tensor x = c.x(0);
  const Tensor low = x.min().minimum(0.0), high = x.max().maximum(0.0);
  const Tensor scale = exact_quotient(high - low, c.number_like(x, 255.0));
  const Tensor zero =
      exact_quotient(low.neg(), scale).round().maximum(0.0).minimum(255.0).cast(DType::int32).cast(DType::uint8);
  return {as_value(quantized(x, scale, zero, DType::uint8)), as_value(scale), as_value(zero)};
}

Values matmul_integer(Call& c) {
  const Tensor a = c.x(0), b = c.x(1);
  const auto rows = static_cast<int64_t>(a.ndim()) - 2, columns = static_cast<int64_t>(b.ndim()) - 1;
  const Tensor x = centred(a, c.maybe(2), std::max<int64_t>(rows, 0)), y = centred(b, c.maybe(3), columns);
  return {as_value(x.matmul(y).cast(DType::int32))};
}

Values qlinear_matmul(Call& c) {
  const Tensor a = c.x(0), b = c.x(3), zero = c.x(7);
  const auto rows = static_cast<int64_t>(a.ndim()) - 2, columns = static_cast<int64_t>(b.ndim()) - 1;
  const Tensor y = centred(a, c.x(2), std::max<int64_t>(rows, 0)).matmul(centred(b, c.x(5), columns));
  const Tensor scale = spread(c.x(1), a.ndim(), std::max<int64_t>(rows, 0)) * spread(c.x(4), b.ndim(), columns) /
                       spread(c.x(6), a.ndim(), std::max<int64_t>(rows, 0));
  return {as_value(quantized(y.cast(DType::float32) * scale, c.number_like(scale, 1.0), zero, zero.dtype()))};
}

Values conv_integer(Call& c) {
  const Tensor x = centred(c.x(0), c.maybe(2), 1), w = centred(c.x(1), c.maybe(3), 0);
  return {as_value(convolved(c, x, w, std::nullopt).cast(DType::int32))};
}

Values qlinear_conv(Call& c) {
  const Tensor x = centred(c.x(0), c.x(2), 1), w = centred(c.x(3), c.x(5), 0), zero = c.x(7);
  const Tensor y = convolved(c, x, w, c.maybe(8));
  const Tensor scale = spread(c.x(1), y.ndim(), 1) * spread(c.x(4), y.ndim(), 1) / spread(c.x(6), y.ndim(), 1);
  return {as_value(quantized(y.cast(DType::float32) * scale, c.number_like(scale, 1.0), zero, zero.dtype()))};
}

}  // namespace

std::span<const Operator> quantize_operators() {
  static constexpr Operator kRows[] = {
      {"ConvInteger", conv_integer},
      {"DequantizeLinear", dequantize_linear},
      {"DynamicQuantizeLinear", dynamic_quantize_linear},
      {"MatMulInteger", matmul_integer},
      {"QLinearConv", qlinear_conv},
      {"QLinearMatMul", qlinear_matmul},
      {"QuantizeLinear", quantize_linear},
  };
  return kRows;
}

}  // namespace rangescope::onnx
