// Functions that are written with others (reference: mixin/elementwise.py).

#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "engine/frontend/tensor.h"

namespace rangescope::frontend {

namespace {

constexpr double kHalfPi = std::numbers::pi / 2;

// c0 * x^n + ... + cn by Horner's rule, from 0.0 on as the reference starts it.
Tensor polynomial(const Tensor& x, std::span<const double> coefficients) {
  Tensor r = Scalar(0.0) * x + Scalar(coefficients[0]);
  for (const double c : coefficients.subspan(1)) r = r * x + Scalar(c);
  return r;
}

}  // namespace

Tensor Tensor::tan() const {
  const Scope scope(context(), "tan");
  return sin() / cos();
}

Tensor Tensor::asin() const {
  const Scope scope(context(), "asin");
  // Abramowitz and Stegun 4.4.46
  static constexpr std::array kTerms = {-0.0012624911, 0.0066700901, -0.0170881256, 0.0308918810,
                                        -0.0501743046, 0.0889789874, -0.2145988016, 1.5707963050};
  const Tensor x = Scalar(kHalfPi) - (Scalar(1.0) - abs()).sqrt() * polynomial(abs(), kTerms);
  return sign() * x;
}
Tensor Tensor::acos() const {
  const Scope scope(context(), "acos");
  return Scalar(kHalfPi) - asin();
}
Tensor Tensor::atan() const {
  const Scope scope(context(), "atan");
  return (*this / (Scalar(1) + *this * *this).sqrt()).asin();
}
Tensor Tensor::sinh() const {
  const Scope scope(context(), "sinh");
  return (exp() - neg().exp()) / 2;
}
Tensor Tensor::cosh() const {
  const Scope scope(context(), "cosh");
  return (exp() + neg().exp()) / 2;
}
Tensor Tensor::atanh() const {
  const Scope scope(context(), "atanh");
  return ((Scalar(1) + *this) / (Scalar(1) - *this)).log() / 2;
}
Tensor Tensor::asinh() const {
  const Scope scope(context(), "asinh");
  return (*this + (square() + 1).sqrt()).log();
}
Tensor Tensor::acosh() const {
  const Scope scope(context(), "acosh");
  return (*this + (square() - 1).sqrt()).log();
}

Tensor Tensor::erf() const {
  const Scope scope(context(), "erf");
  // Abramowitz and Stegun 7.1.26
  static constexpr std::array kTerms = {1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592};
  const Tensor t = Scalar(1.0) / (Scalar(1.0) + Scalar(0.3275911) * abs());
  return sign() * (Scalar(1.0) - t * polynomial(t, kTerms) * (-square()).exp());
}

Tensor Tensor::relu() const {
  const Scope scope(context(), "relu");
  return gt(0).where(*this, 0);  // not a maximum, whose gradient at 0 is one half
}
Tensor Tensor::sigmoid() const {
  const Scope scope(context(), "sigmoid");
  return (Scalar(1) + (*this * Scalar(-1 / std::numbers::ln2)).exp2()).reciprocal();
}
Tensor Tensor::relu6() const {
  const Scope scope(context(), "relu6");
  return relu() - (*this - 6).relu();
}
Tensor Tensor::hardswish() const {
  const Scope scope(context(), "hardswish");
  return *this * (*this + 3).relu6() * Scalar(1.0 / 6);
}
Tensor Tensor::hardsigmoid(double alpha, double beta) const {
  const Scope scope(context(), "hardsigmoid");
  const Tensor x = Scalar(alpha) * *this + Scalar(beta);
  return x.relu() - (x - 1).relu();
}
Tensor Tensor::hardtanh(const Scalar& min, const Scalar& max) const {
  const Scope scope(context(), "hardtanh");
  return clamp(Operand(min), Operand(max));
}
Tensor Tensor::leaky_relu(double slope) const {
  const Scope scope(context(), "leaky_relu");
  return lt(0).where(Scalar(slope) * *this, *this);
}
Tensor Tensor::tanh() const {
  const Scope scope(context(), "tanh");
  return Scalar(2.0) * (Scalar(2.0) * *this).sigmoid() - Scalar(1.0);
}
Tensor Tensor::quick_gelu() const {
  const Scope scope(context(), "quick_gelu");
  return *this * (*this * Scalar(1.702)).sigmoid();
}
Tensor Tensor::gelu(bool approximate) const {
  const Scope scope(context(), "gelu");
  if (!approximate) return *this * Scalar(0.5) * (Scalar(1.0) + (*this / Scalar(std::numbers::sqrt2)).erf());
  const Tensor inner = *this + Scalar(0.044715) * pow(3);
  return Scalar(0.5) * *this * (Scalar(1) + (Scalar(std::sqrt(2 / std::numbers::pi)) * inner).tanh());
}
Tensor Tensor::swish() const {
  const Scope scope(context(), "swish");
  return *this * sigmoid();
}
Tensor Tensor::elu(double alpha) const {
  const Scope scope(context(), "elu");
  return relu() - Scalar(alpha) * (Scalar(1) - exp()).relu();
}
Tensor Tensor::celu(double alpha) const {
  const Scope scope(context(), "celu");
  return maximum(0) + (Scalar(alpha) * ((*this / Scalar(alpha)).exp() - 1)).minimum(0);
}
Tensor Tensor::selu(double alpha, double gamma) const {
  const Scope scope(context(), "selu");
  return Scalar(gamma) * ge(0).where(*this, Scalar(alpha) * (exp() - 1));
}
Tensor Tensor::softplus(double beta) const {
  const Scope scope(context(), "softplus");
  return Scalar(1 / beta) * (*this * Scalar(beta)).logaddexp(0.0);
}
Tensor Tensor::mish() const {
  const Scope scope(context(), "mish");
  return *this * softplus().tanh();
}
Tensor Tensor::logsigmoid() const {
  const Scope scope(context(), "logsigmoid");
  return -((-*this).softplus());
}
Tensor Tensor::softsign() const {
  const Scope scope(context(), "softsign");
  return *this / (Scalar(1) + abs());
}

}  // namespace rangescope::frontend
