// Operators and functions of each element (reference: mixin/elementwise.py, mixin/dtype.py). A comment gives the
// formula where the order of operations decides which graph comes out.

#include <cmath>
#include <numbers>

#include "engine/frontend/tensor.h"
#include "engine/ir/dtype_rules.h"
#include "engine/ir/scalar_alu.h"

namespace rangescope::frontend {

namespace {

constexpr double kLn2 = std::numbers::ln2;
constexpr double kPi = std::numbers::pi;

}  // namespace

Tensor Tensor::cast(DType to) const {
  const Scope scope(context(), "cast");
  return dtype() == to ? *this : wrap(uop().cast(to));
}

Tensor Tensor::bitcast(DType to) const {
  const Scope scope(context(), "bitcast");
  return dtype() == to ? *this : wrap(uop().bitcast(to));
}

// ** operands

std::pair<Tensor, Tensor> Tensor::broadcasted(const Operand& other, bool reverse) const {
  const Tensor second = ufix(other);
  const Tensor& x = reverse ? second : *this;
  const Tensor& y = reverse ? *this : second;
  const DType to = least_upper_dtype(x.dtype(), y.dtype());
  const auto promote = [&](const Tensor& t) {
    const UOp base = t.uop().base();
    if (base.is_invalid()) return t;
    if (t.uop().is_weak() && base.is_const()) return t.const_like(base.val(), weak_dtype(to));
    return t.dtype() == to ? t : wrap(t.uop().cast(to));
  };
  return {promote(x), promote(y)};
}

Tensor Tensor::binop(Op op, const Operand& y, bool reverse) const {
  const auto [a, b] = broadcasted(y, reverse);
  return a.alu(op, {b.uop()});
}

Tensor Tensor::add(const Operand& y, bool reverse) const {
  const Scope scope(context(), "add");
  return binop(Op::ADD, y, reverse);
}

Tensor Tensor::sub(const Operand& y, bool reverse) const {
  const Scope scope(context(), "sub");
  const auto [a, b] = broadcasted(y, reverse);
  return a.alu(Op::ADD, {b.neg().uop()});
}

Tensor Tensor::mul(const Operand& y, bool reverse) const {
  const Scope scope(context(), "mul");
  return binop(Op::MUL, y, reverse);
}

namespace {
Tensor true_division(Tensor a, const Tensor& b) {
  if (is_int(a.dtype()) || a.dtype() == DType::bool_) a = a.cast(dtypes::default_float);
  return a.alu(Op::MUL, {b.reciprocal().uop()});
}
}  // namespace

Tensor Tensor::div(const Operand& y, bool reverse) const {
  const Scope scope(context(), "div");
  const auto [a, b] = broadcasted(y, reverse);
  return true_division(a, b);
}

Tensor Tensor::floordiv(const Operand& y, bool reverse) const {
  const Scope scope(context(), "floordiv");
  const auto [a, b] = broadcasted(y, reverse);
  if (is_int(a.dtype()) && is_int(b.dtype())) return a.alu(Op::FLOORDIV, {b.uop()});
  return true_division(a, b).floor();
}

Tensor Tensor::trunc_div(const Operand& y, bool reverse) const {
  const Scope scope(context(), "trunc_div");
  const auto [a, b] = broadcasted(y, reverse);
  if (is_int(a.dtype()) && is_int(b.dtype())) return a.alu(Op::CDIV, {b.uop()});
  return true_division(a, b).trunc();
}

Tensor Tensor::mod(const Operand& y, bool reverse) const {
  const Scope scope(context(), "mod");
  const auto [a, b] = broadcasted(y, reverse);
  if (is_int(a.dtype()) && is_int(b.dtype())) return a.alu(Op::FLOORMOD, {b.uop()});
  return a - a.floordiv(b) * b;
}

Tensor Tensor::fmod(const Operand& y) const {
  const Scope scope(context(), "fmod");
  const auto [a, b] = broadcasted(y);
  if (is_int(a.dtype()) && is_int(b.dtype())) return a.alu(Op::CMOD, {b.uop()});
  return a - a.trunc_div(b) * b;
}

Tensor Tensor::pow(const Operand& y, bool reverse) const {
  const Scope scope(context(), "pow");
  const auto [base, exponent] = broadcasted(y, reverse);
  if (!is_float(least_upper_dtype(base.dtype(), exponent.dtype())) && y.is_number() &&
      !(y.number().is_integral() && !python_less(y.number(), Scalar(0))))
    throw GraphError("an integer can be raised to an integer from 0 on only; cast the base to a float");
  return base.alu(Op::POW, {exponent.uop()});
}

Tensor Tensor::bitwise_and(const Operand& y, bool reverse) const {
  const Scope scope(context(), "bitwise_and");
  return binop(Op::AND, y, reverse);
}
Tensor Tensor::bitwise_or(const Operand& y, bool reverse) const {
  const Scope scope(context(), "bitwise_or");
  return binop(Op::OR, y, reverse);
}
Tensor Tensor::bitwise_xor(const Operand& y, bool reverse) const {
  const Scope scope(context(), "bitwise_xor");
  return binop(Op::XOR, y, reverse);
}
Tensor Tensor::lshift(const Operand& y, bool reverse) const {
  const Scope scope(context(), "lshift");
  return binop(Op::SHL, y, reverse);
}
Tensor Tensor::rshift(const Operand& y, bool reverse) const {
  const Scope scope(context(), "rshift");
  return binop(Op::SHR, y, reverse);
}

Tensor Tensor::logical_not() const {
  const Scope scope(context(), "logical_not");
  return cast(DType::bool_).ne(true);
}

Tensor Tensor::bitwise_not() const {
  const Scope scope(context(), "bitwise_not");
  if (dtype() == DType::bool_) return logical_not();
  return is_unsigned(dtype()) ? bitwise_xor(dtype_max(dtype())) : bitwise_xor(-1);
}

Tensor Tensor::neg() const {
  const Scope scope(context(), "neg");
  return dtype() == DType::bool_ ? logical_not() : mul(-1);
}

Tensor Tensor::inverse() const {
  return is_floating_point() ? neg() : bitwise_not();
}

Tensor Tensor::maximum(const Operand& y) const {
  const Scope scope(context(), "maximum");
  return binop(Op::MAX, y);
}

Tensor Tensor::minimum(const Operand& y) const {
  const Scope scope(context(), "minimum");
  const auto [t, x] = broadcasted(y);
  const DType dt = least_upper_dtype(t.dtype(), x.dtype());
  if (is_float(dt)) return -((-t).alu(Op::MAX, {(-x).uop()}));
  // the order of integers is turned round by flipping their bits
  const Scalar least = dtype_min(dt), most = dtype_max(dt);
  const Scalar k = dt == DType::bool_ ? Scalar(true) : Scalar(least.as_int() + most.as_int());
  return (t ^ k).alu(Op::MAX, {(x ^ k).uop()}) ^ k;
}

Tensor Tensor::lt(const Operand& y) const {
  const Scope scope(context(), "lt");
  return binop(Op::CMPLT, y);
}
Tensor Tensor::gt(const Operand& y) const {
  const Scope scope(context(), "gt");
  return binop(Op::CMPLT, y, true);
}
Tensor Tensor::ge(const Operand& y) const {
  const Scope scope(context(), "ge");
  return lt(y).logical_not();
}
Tensor Tensor::le(const Operand& y) const {
  const Scope scope(context(), "le");
  return gt(y).logical_not();
}
Tensor Tensor::ne(const Operand& y) const {
  const Scope scope(context(), "ne");
  return binop(Op::CMPNE, y);
}
Tensor Tensor::eq(const Operand& y) const {
  const Scope scope(context(), "eq");
  return ne(y).logical_not();
}

Tensor Tensor::where(const Operand& then, const Operand& otherwise) const {
  const Scope scope(context(), "where");
  const Tensor x = ufix(then);
  const auto [a, b] = x.broadcasted(otherwise);
  return alu(Op::WHERE, {a.uop(), b.uop()});
}

Tensor Tensor::masked_fill(const Tensor& mask, const Operand& value) const {
  const Scope scope(context(), "masked_fill");
  return mask.where(value, *this);
}

// ** one operand

Tensor Tensor::reciprocal() const {
  const Scope scope(context(), "reciprocal");
  return alu(Op::RECIPROCAL);
}
Tensor Tensor::trunc() const {
  const Scope scope(context(), "trunc");
  return alu(Op::TRUNC);
}
Tensor Tensor::sqrt() const {
  const Scope scope(context(), "sqrt");
  return alu(Op::SQRT);
}
Tensor Tensor::sin() const {
  const Scope scope(context(), "sin");
  return alu(Op::SIN);
}
Tensor Tensor::log2() const {
  const Scope scope(context(), "log2");
  return alu(Op::LOG2);
}
Tensor Tensor::exp2() const {
  const Scope scope(context(), "exp2");
  return alu(Op::EXP2);
}
Tensor Tensor::threefry(const Tensor& seed) const {
  return alu(Op::THREEFRY, {seed.uop()});
}
Tensor Tensor::detach() const {
  const Scope scope(context(), "detach");
  return alu(Op::DETACH);
}
Tensor Tensor::contiguous_backward() const {
  const Scope scope(context(), "contiguous_backward");
  return alu(Op::CONTIGUOUS_BACKWARD);
}
Tensor Tensor::contiguous() const {
  const Scope scope(context(), "contiguous");
  const UOp u = uop().contiguous();
  return u == uop() ? *this : wrap(u);
}

Tensor Tensor::cos() const {
  const Scope scope(context(), "cos");
  const Tensor x = cast(least_upper_float(dtype()));
  return (Scalar(kPi / 2) - x.cast(least_upper_dtype(x.dtype(), DType::float32))).sin().cast(x.dtype());
}

Tensor Tensor::exp() const {
  const Scope scope(context(), "exp");
  const Tensor x = cast(least_upper_float(dtype()));
  return x.cast(least_upper_dtype(x.dtype(), DType::float32)).mul(1 / kLn2).exp2().cast(x.dtype());
}

Tensor Tensor::log() const {
  const Scope scope(context(), "log");
  return log2() * Scalar(kLn2);
}
Tensor Tensor::log10() const {
  const Scope scope(context(), "log10");
  return log2() * Scalar(std::log10(2.0));
}
Tensor Tensor::rsqrt() const {
  const Scope scope(context(), "rsqrt");
  return sqrt().reciprocal();
}
Tensor Tensor::square() const {
  const Scope scope(context(), "square");
  return *this * *this;
}

Tensor Tensor::ceil() const {
  const Scope scope(context(), "ceil");
  const Tensor b = trunc();
  return gt(b).where(b + 1, b);
}
Tensor Tensor::floor() const {
  const Scope scope(context(), "floor");
  const Tensor b = trunc();
  return lt(b).where(b - 1, b);
}

Tensor Tensor::round() const {
  const Scope scope(context(), "round");
  const Tensor b = trunc() / 2.0;
  return gt(0).eq(b.trunc().eq(b)).where((*this - 0.5).ceil(), (*this + 0.5).floor());
}

Tensor Tensor::sign() const {
  const Scope scope(context(), "sign");
  return ne(0).where(lt(0).where(const_like(-1), const_like(1)), const_like(0));
}
Tensor Tensor::abs() const {
  const Scope scope(context(), "abs");
  return *this * sign();
}

Tensor Tensor::isnan() const {
  const Scope scope(context(), "isnan");
  return ne(*this);
}
Tensor Tensor::isinf(bool positive, bool negative) const {
  const Scope scope(context(), "isinf");
  return eq(kInf) * Scalar(positive) + eq(-kInf) * Scalar(negative);
}
Tensor Tensor::isfinite() const {
  const Scope scope(context(), "isfinite");
  return (isinf() | isnan()).logical_not();
}

Tensor Tensor::isclose(const Operand& y, double rtol, double atol, bool equal_nan) const {
  const Scope scope(context(), "isclose");
  const Tensor other = ufix(y);
  const Tensor finite =
      isfinite() & other.isfinite() & (*this - other).abs().le(Scalar(atol) + Scalar(rtol) * other.abs());
  const Tensor infinite = (isinf() | other.isinf()) & eq(other);
  const Tensor nan = (isnan() & other.isnan()) & Scalar(equal_nan);
  return finite | infinite | nan;
}

Tensor Tensor::copysign(const Operand& y) const {
  const Scope scope(context(), "copysign");
  const auto [a, b] = broadcasted(y);
  const Tensor mag = a.abs();
  return (b.lt(0) | b.reciprocal().lt(0)).where(-mag, mag);
}

Tensor Tensor::logaddexp(const Operand& y) const {
  const Scope scope(context(), "logaddexp");
  const auto [a, b] = broadcasted(y);
  const Tensor m = a.maximum(b);
  return ((a - m).exp() + (b - m).exp()).log() + m;
}

Tensor Tensor::lerp(const Tensor& end, const Operand& weight) const {
  const Scope scope(context(), "lerp");
  if (dtype() == DType::uint8 && weight.tensor() != nullptr) {
    constexpr int kPrecision = 7;
    const Tensor w = (*weight.tensor() * (1 << kPrecision) + 0.5).cast(DType::int16);
    const Tensor step = (end - *this).cast(DType::int8) * w + (1 << (kPrecision - 1));
    return (*this + (step.cast(DType::uint16) >> kPrecision)).cast(DType::uint8);
  }
  return *this + (end - *this).mul(weight);
}

Tensor Tensor::clamp(const std::optional<Operand>& min, const std::optional<Operand>& max) const {
  const Scope scope(context(), "clamp");
  if (!min && !max) throw GraphError("clamp needs a least or a greatest value");
  const Tensor low = min ? lt(*min).where(*min, *this) : *this;
  return max ? low.gt(*max).where(*max, low) : low;
}

}  // namespace rangescope::frontend
