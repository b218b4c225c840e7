// Operators of each element, and their broadcasting.

#include <fmt/format.h>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

template <Tensor (Tensor::*method)() const>
Values unary(Call& c) {
  const Tensor x = c.x();
  return {as_value((x.*method)().cast(x.dtype()))};
}

Values one(const Tensor& t) {
  return {as_value(t)};
}

// Before version 7: the second operand is aligned at `axis` of the first.
Tensor aligned(const Call& c, const Tensor& a, const Tensor& b) {
  if (c.integer("broadcast", 0) == 0 || !c.has_attribute("axis")) return b;
  const int64_t axis = c.axis("axis", 0, a.ndim());
  Shape shape = b.shape();
  while (shape.size() + static_cast<size_t>(axis) < a.ndim()) shape.emplace_back(1);
  return b.reshape(shape);
}

std::pair<Tensor, Tensor> operands(const Call& c) {
  const Tensor a = c.x(0), b = aligned(c, a, c.x(1));
  if (a.dtype() != b.dtype())
    Call::refuse(fmt::format("its operands are {} and {}", dtype_name(a.dtype()), dtype_name(b.dtype())));
  return {a, b};
}

template <Tensor (Tensor::*method)(const Operand&, bool) const>
Values binary(Call& c) {
  const auto [a, b] = operands(c);
  return {as_value((a.*method)(b, false).cast(a.dtype()))};
}

template <Tensor (Tensor::*method)(const Operand&) const>
Values compare(Call& c) {
  const auto [a, b] = operands(c);
  return {as_value((a.*method)(b).cast(DType::bool_))};
}

Values divide(Call& c) {
  const auto [a, b] = operands(c);
  if (is_int(a.dtype())) return one(a.trunc_div(b).cast(a.dtype()));
  return one(c.is_rounded() ? exact_quotient(a, b) : a.div(b).cast(a.dtype()));
}

Values modulo(Call& c) {
  const auto [a, b] = operands(c);
  const bool as_c = c.integer("fmod", 0) != 0;
  if (is_float(a.dtype()) && !as_c) Call::refuse("of floats it needs fmod=1");
  return {as_value((as_c ? a.fmod(b) : a.mod(b)).cast(a.dtype()))};
}

Values power(Call& c) {
  const Tensor a = c.x(0), b = aligned(c, a, c.x(1));
  if (is_float(a.dtype()) || is_float(b.dtype())) {
    const DType as = is_float(a.dtype()) ? a.dtype() : b.dtype();
    const Tensor p = a.cast(as).pow(b.cast(as));
    // On its way to an integer a power that is one but for its last bits must not lose a whole.
    return one(is_int(a.dtype()) ? p.round().cast(a.dtype()) : p.cast(a.dtype()));
  }
  const DType wide = DType::float64;
  return one(a.cast(wide).pow(b.cast(wide)).round().cast(a.dtype()));
}

template <Tensor (Tensor::*method)(const Operand&) const>
Values fold(Call& c) {
  Tensor r = c.x(0);
  const DType dtype = r.dtype();
  for (size_t i = 1; i < c.count(); ++i) r = (r.*method)(c.x(i)).cast(dtype);
  return one(r);
}
Values sum(Call& c) {
  Tensor r = c.x(0);
  for (size_t i = 1; i < c.count(); ++i) r = r.add(c.x(i));
  return one(r);
}
Values mean(Call& c) {
  Tensor r = c.x(0);
  for (size_t i = 1; i < c.count(); ++i) r = r.add(c.x(i));
  return one(r.div(static_cast<int64_t>(c.count())).cast(r.dtype()));
}

Values bit_shift(Call& c) {
  const auto [a, b] = operands(c);
  const std::string direction = c.text("direction", "");
  if (direction == "LEFT") return one(a.lshift(b).cast(a.dtype()));
  if (direction == "RIGHT") return one(a.rshift(b).cast(a.dtype()));
  Call::refuse(fmt::format("the direction \"{}\"", direction));
}

Values logical_not(Call& c) {
  return one(c.x().logical_not());
}
Values is_nan(Call& c) {
  return one(c.x().isnan());
}
Values is_inf(Call& c) {
  return one(c.x().isinf(c.integer("detect_positive", 1) != 0, c.integer("detect_negative", 1) != 0));
}

Values where(Call& c) {
  const Tensor a = c.x(1);
  return one(c.x(0).where(a, c.x(2)).cast(a.dtype()));
}

Values clip(Call& c) {
  Tensor x = c.x();
  const DType dtype = x.dtype();
  const auto bound = [&](size_t input, const char* name) -> std::optional<Tensor> {
    if (c.has(input)) return c.x(input);
    if (c.opset() < 11 && c.has_attribute(name)) return c.number_like(x, c.number(name, 0));
    return std::nullopt;
  };
  if (const auto low = bound(1, "min")) x = x.maximum(*low).cast(dtype);
  if (const auto high = bound(2, "max")) x = x.minimum(*high).cast(dtype);
  return one(x);
}

Tensor cast_to(const Tensor& x, DType to) {
  // Through int64, so that a negative float wraps instead of being undefined.
  if (is_float(x.dtype()) && is_unsigned(to) && bitsize(to) < 64) return x.cast(DType::int64).cast(to);
  return x.cast(to);
}
Values cast(Call& c) {
  return one(cast_to(c.x(), dtype_of_number(c.integer("to", 0))));
}
Values cast_like(Call& c) {
  return one(cast_to(c.x(), c.x(1).dtype()));
}

// ** activations

Tensor at_least(const Tensor& x, double low) {
  return x.maximum(low).cast(x.dtype());
}
Values leaky_relu(Call& c) {
  const Tensor x = c.x();
  return one(x.leaky_relu(c.number("alpha", 0.01)).cast(x.dtype()));
}
Values elu(Call& c) {
  const Tensor x = c.x();
  return one(x.lt(0).where((x.exp() - 1) * Scalar(c.number("alpha", 1.0)), x).cast(x.dtype()));
}
Values celu(Call& c) {
  const Tensor x = c.x();
  const double alpha = c.number("alpha", 1.0);
  return one((x.maximum(0) + (((x / Scalar(alpha)).exp() - 1) * Scalar(alpha)).minimum(0)).cast(x.dtype()));
}
Values selu(Call& c) {
  const Tensor x = c.x();
  const double alpha = c.number("alpha", 1.67326319217681884765625),
               gamma = c.number("gamma", 1.05070102214813232421875);
  return one((x.gt(0).where(x, x.exp() * Scalar(alpha) - Scalar(alpha)) * Scalar(gamma)).cast(x.dtype()));
}
Values thresholded_relu(Call& c) {
  const Tensor x = c.x();
  return one(x.gt(c.number("alpha", 1.0)).where(x, 0).cast(x.dtype()));
}
Values hard_sigmoid(Call& c) {
  const Tensor x = c.x();
  const Tensor y = x * Scalar(c.number("alpha", 0.2)) + Scalar(c.number("beta", 0.5));
  return one(y.maximum(0.0).minimum(1.0).cast(x.dtype()));
}
Values hard_swish(Call& c) {
  const Tensor x = c.x();
  return one((x * (x * Scalar(1.0 / 6) + Scalar(0.5)).maximum(0.0).minimum(1.0)).cast(x.dtype()));
}
Values softplus(Call& c) {
  const Tensor x = c.x();
  return one((at_least(x, 0.0) + ((x.abs().neg()).exp() + 1).log()).cast(x.dtype()));
}
Values prelu(Call& c) {
  const Tensor x = c.x();
  Tensor slope = c.x(1);
  // Before version 7 one slope a channel.
  if (c.opset() < 7 && slope.ndim() == 1 && x.ndim() > 2 && slope.numel() > 1) slope = by_channel(slope, x);
  return one(x.lt(0).where(x * slope, x).cast(x.dtype()));
}
Values shrink(Call& c) {
  const Tensor x = c.x();
  const double bias = c.number("bias", 0.0), lambda = c.number("lambd", 0.5);
  return one(x.lt(-lambda).where(x + Scalar(bias), x.gt(lambda).where(x - Scalar(bias), 0)).cast(x.dtype()));
}

Values identity(Call& c) {
  return {c.value(0)};
}

Values sign(Call& c) {
  const Tensor x = c.x();
  const Tensor up = x.gt(0).where(1, 0);
  if (is_unsigned(x.dtype())) return one(up.cast(x.dtype()));
  return one((up - x.lt(0).where(1, 0)).cast(x.dtype()));
}

Values dropout(Call& c) {
  const Tensor x = c.x();
  const bool training = c.has(2) && c.integer(2) != 0;
  double ratio = 0.5;
  if (c.has(1)) ratio = c.doubles(1).at(0);
  if (training && ratio != 0) Call::refuse("training draws random numbers that no two programs share");
  Values out{as_value(x)};
  // The mask was of the data's type before version 10.
  if (c.outputs() > 1) out.push_back(as_value(x.const_like(Scalar(true), c.opset() < 10 ? x.dtype() : DType::bool_)));
  return out;
}

}  // namespace

Tensor exact_quotient(const Tensor& a, const Tensor& b) {
  return a.cast(DType::float64).div(b.cast(DType::float64)).cast(a.dtype());
}

std::span<const Operator> elementwise_operators() {
  static constexpr Operator kRows[] = {
      {"Abs", unary<&Tensor::abs>},
      {"Acos", unary<&Tensor::acos>},
      {"Acosh", unary<&Tensor::acosh>},
      {"Add", binary<&Tensor::add>},
      {"And", binary<&Tensor::bitwise_and>},
      {"Asin", unary<&Tensor::asin>},
      {"Asinh", unary<&Tensor::asinh>},
      {"Atan", unary<&Tensor::atan>},
      {"Atanh", unary<&Tensor::atanh>},
      {"BitShift", bit_shift},
      {"Cast", cast},
      {"CastLike", cast_like},
      {"Ceil", unary<&Tensor::ceil>},
      {"Celu", celu},
      {"Clip", clip},
      {"Cos", unary<&Tensor::cos>},
      {"Cosh", unary<&Tensor::cosh>},
      {"Div", divide},
      {"Dropout", dropout},
      {"Elu", elu},
      {"Equal", compare<&Tensor::eq>},
      {"Erf", unary<&Tensor::erf>},
      {"Exp", unary<&Tensor::exp>},
      {"Floor", unary<&Tensor::floor>},
      {"Greater", compare<&Tensor::gt>},
      {"GreaterOrEqual", compare<&Tensor::ge>},
      {"HardSigmoid", hard_sigmoid},
      {"HardSwish", hard_swish},
      {"Identity", identity},
      {"IsInf", is_inf},
      {"IsNaN", is_nan},
      {"LeakyRelu", leaky_relu},
      {"Less", compare<&Tensor::lt>},
      {"LessOrEqual", compare<&Tensor::le>},
      {"Log", unary<&Tensor::log>},
      {"Max", fold<&Tensor::maximum>},
      {"Mean", mean},
      {"Min", fold<&Tensor::minimum>},
      {"Mod", modulo},
      {"Mul", binary<&Tensor::mul>},
      {"Neg", unary<&Tensor::neg>},
      {"Not", logical_not},
      {"Or", binary<&Tensor::bitwise_or>},
      {"PRelu", prelu},
      {"Pow", power},
      {"Reciprocal", unary<&Tensor::reciprocal>},
      {"Relu", unary<&Tensor::relu>},
      {"Round", unary<&Tensor::round>},
      {"Selu", selu},
      {"Shrink", shrink},
      {"Sigmoid", unary<&Tensor::sigmoid>},
      {"Sign", sign},
      {"Sin", unary<&Tensor::sin>},
      {"Sinh", unary<&Tensor::sinh>},
      {"Softplus", softplus},
      {"Softsign", unary<&Tensor::softsign>},
      {"Sqrt", unary<&Tensor::sqrt>},
      {"Sub", binary<&Tensor::sub>},
      {"Sum", sum},
      {"Tan", unary<&Tensor::tan>},
      {"Tanh", unary<&Tensor::tanh>},
      {"ThresholdedRelu", thresholded_relu},
      {"Where", where},
      {"Xor", binary<&Tensor::bitwise_xor>},
  };
  return kRows;
}

}  // namespace rangescope::onnx
