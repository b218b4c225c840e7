// Inclusive bounds of values (reference: uop/ops.py, UOp._min_max). Exact: integers are unbounded.

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/ir/error.h"
#include "engine/ir/postorder.h"
#include "engine/ir/scalar_alu.h"
#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope {

namespace {

const Scalar& smaller(const Scalar& a, const Scalar& b) {
  return python_less(b, a) ? b : a;
}  // Python's min: the first of equals
const Scalar& larger(const Scalar& a, const Scalar& b) {
  return python_less(a, b) ? b : a;
}

Scalar alu(Op op, const Scalar& a, const Scalar& b) {
  if (a.is_int() && b.is_int()) {
    if (op == Op::ADD) return a.as_int() + b.as_int();
    if (op == Op::SUB) return a.as_int() - b.as_int();
    if (op == Op::MUL) return a.as_int() * b.as_int();
  }
  return exec_alu(op, DType::void_, {a, b}, false);
}

Bounds whole(DType dtype) {
  return {dtype_min(dtype), dtype_max(dtype)};
}

Bounds hull(std::initializer_list<Scalar> values) {
  Bounds b{*values.begin(), *values.begin()};
  for (const Scalar& v : values) {
    if (python_less(v, b.min)) b.min = v;
    if (python_less(b.max, v)) b.max = v;
  }
  return b;
}

// All four corners as integers; nullopt where one is no integer.
struct Corners {
  Int a0, a1, b0, b1;
};
std::optional<Corners> corners(const Bounds& a, const Bounds& b) {
  if (!a.min.is_integral() || !a.max.is_integral() || !b.min.is_integral() || !b.max.is_integral()) return std::nullopt;
  return Corners{a.min.as_int(), a.max.as_int(), b.min.as_int(), b.max.as_int()};
}
Corners need_integers(const Bounds& a, const Bounds& b) {
  if (const auto c = corners(a, b)) return *c;
  throw GraphError("an integer division has a source whose bounds are no integers");
}

Bounds hull4(const Corners& c, Int (*f)(Int, Int)) {
  const std::array<Int, 4> v{f(c.a0, c.b0), f(c.a0, c.b1), f(c.a1, c.b0), f(c.a1, c.b1)};
  return {Scalar(*std::ranges::min_element(v)), Scalar(*std::ranges::max_element(v))};
}

std::optional<Bounds> cmod_bounds(const Bounds& a, const Bounds& b) {
  const auto [a0, a1, b0, b1] = need_integers(a, b);
  const Int zero(0), one(1);
  if (b0 == b1 && b0 > zero) {
    const Int c = b0;
    return Bounds{a0 > zero ? zero : a0 > -c ? a0 : -(c - one), a1 < zero ? zero : a1 < c ? a1 : c - one};
  }
  if (b0 > zero)
    return a0 >= zero ? Bounds{zero, b1 - one} : a1 <= zero ? Bounds{-(b1 - one), zero} : Bounds{-(b1 - one), b1 - one};
  if (b1 < zero)
    return a0 >= zero   ? Bounds{zero, -b0 - one}
           : a1 <= zero ? Bounds{-(-b0 - one), zero}
                        : Bounds{-(-b0 - one), -b0 - one};
  return std::nullopt;
}

std::optional<Bounds> floormod_bounds(const Bounds& a, const Bounds& b) {
  const auto [a0, a1, b0, b1] = need_integers(a, b);
  const Int zero(0), one(1);
  if (a0 > a1) return Bounds{zero, zero};  // an empty numerator, as of a RANGE of no iterations
  if (b0 == b1 && b0 != zero) {
    if (floordiv(a0, b0) == floordiv(a1, b0)) return Bounds{floormod(a0, b0), floormod(a1, b0)};
    return b0 > zero ? Bounds{zero, b0 - one} : Bounds{b0 + one, zero};
  }
  if (b0 > zero) return Bounds{zero, b1 - one};
  if (b1 < zero) return Bounds{b0 + one, zero};
  return std::nullopt;
}

std::optional<Bounds> binary_bounds(UOp u, const Bounds& a, const Bounds& b) {
  const bool single_b = python_equal(b.min, b.max);
  switch (u.op()) {
    case Op::ADD:
      return Bounds{alu(Op::ADD, a.min, b.min), alu(Op::ADD, a.max, b.max)};
    case Op::SUB:
      return Bounds{alu(Op::SUB, a.min, b.max), alu(Op::SUB, a.max, b.min)};
    case Op::MUL:
      return hull({alu(Op::MUL, a.min, b.min), alu(Op::MUL, a.min, b.max), alu(Op::MUL, a.max, b.min),
                   alu(Op::MUL, a.max, b.max)});
    case Op::AND:
      if (is_int(u.dtype()) && single_b && !python_less(b.max, Scalar(0)))
        return Bounds{Scalar(0), python_less(a.min, Scalar(0)) ? b.max : smaller(a.max, b.max)};
      if (u.dtype() == DType::bool_) return Bounds{a.min.truthy() ? b.min : a.min, a.max.truthy() ? b.max : a.max};
      return std::nullopt;
    case Op::OR:
      if (u.dtype() == DType::bool_) return Bounds{a.min.truthy() ? a.min : b.min, a.max.truthy() ? a.max : b.max};
      return std::nullopt;
    case Op::SHL:
    case Op::SHR:
      if (single_b && a.min.is_int() && a.max.is_int() && b.min.is_int())
        return Bounds{alu(u.op(), a.min, b.min), alu(u.op(), a.max, b.min)};
      return std::nullopt;
    case Op::CMOD:
      return cmod_bounds(a, b);
    case Op::CDIV: {
      const Corners c = need_integers(a, b);
      if (c.b0.sign() * c.b1.sign() > 0) return hull4(c, [](Int x, Int y) { return cdiv(x, y); });
      return std::nullopt;
    }
    case Op::FLOORDIV: {
      const Corners c = need_integers(a, b);
      if (c.a0 > c.a1) return Bounds{Scalar(0), Scalar(0)};
      if (c.b0.sign() * c.b1.sign() > 0) return hull4(c, [](Int x, Int y) { return floordiv(x, y); });
      return std::nullopt;
    }
    case Op::FLOORMOD:
      return floormod_bounds(a, b);
    case Op::XOR:
      if (single_b && python_equal(b.min, Scalar(-1)) && a.min.is_integral() && a.max.is_integral())
        return Bounds{~a.max.as_int(), ~a.min.as_int()};
      return std::nullopt;
    case Op::MAX:
      return Bounds{larger(a.min, b.min), larger(a.max, b.max)};
    case Op::CMPLT:
      return Bounds{Scalar(python_less(a.max, b.min)), Scalar(python_less(a.min, b.max))};
    case Op::CMPNE:
      return Bounds{Scalar(python_less(a.max, b.min) || python_less(b.max, a.min)),
                    Scalar(!(python_equal(a.min, a.max) && python_equal(a.max, b.min) && single_b))};
    default:
      return std::nullopt;
  }
}

Bounds cast_bounds(UOp u) {
  const DType to = u.dtype();
  Bounds s = *u.src(0).cache().bounds;
  const auto finite = [](const Scalar& v) { return !v.is_float() || std::isfinite(v.as_double()); };
  if (finite(s.min) && finite(s.max)) {
    // rounding is monotone: towards zero into an int, to nearest into a float
    if (is_float(to)) {
      if (to != DType::weakfloat) s = {truncate(to, s.min), truncate(to, s.max)};
    } else if (is_int(to)) {
      s = {Scalar(s.min.to_int()), Scalar(s.max.to_int())};
    }
  }
  if (is_unsigned(to) && !python_less(s.min, Scalar(0)) && !python_less(dtype_max(to), s.max)) return s;
  if ((dtypes::floats | dtypes::sints | DType::weakint).contains(to))
    return {larger(dtype_min(to), s.min), smaller(s.max, dtype_max(to))};
  return whole(to);
}

bool is_number_binary(UOp u) {
  return u.in(groups::Binary) && !is_float(u.dtype());
}

// The sources that the bounds of a node come from; the others may have none.
std::span<const UOp> bound_sources(UOp u) {
  const auto s = u.srcs();
  const auto first = s.subspan(0, std::min<size_t>(1, s.size()));
  if (is_number_binary(u)) return s;
  switch (u.op()) {
    case Op::WHERE:
      return is_int(u.dtype()) ? s.subspan(std::min<size_t>(1, s.size())) : std::span<const UOp>{};
    case Op::RANGE:
    case Op::SPECIAL:
      return u.dtype() == DType::void_ ? std::span<const UOp>{} : first;
    case Op::AFTER:
    case Op::INDEX:
    case Op::CAST:
      return first;
    case Op::STACK:
      return s;
    default:
      return {};
  }
}

Bounds compute_bounds(UOp u) {
  const auto of = [](UOp s) -> const Bounds& { return *s.cache().bounds; };
  if (is_number_binary(u)) {
    if (const auto b = binary_bounds(u, of(u.src(0)), of(u.src(1)))) return *b;
    return whole(u.dtype());
  }
  switch (u.op()) {
    case Op::WHERE:
      // a float has the nan problem
      if (is_int(u.dtype()))
        return {smaller(of(u.src(1)).min, of(u.src(2)).min), larger(of(u.src(1)).max, of(u.src(2)).max)};
      break;
    case Op::PARAM:
    case Op::BUFFER:
      if (const auto* p = u.arg().get_if<ParamArg>(); p != nullptr && p->bounds)
        return {p->bounds->first, p->bounds->second};
      break;
    case Op::RANGE:
    case Op::SPECIAL: {
      if (u.dtype() == DType::void_) break;
      const Scalar& end = of(u.src(0)).max;
      return {Scalar(0), end.is_float() ? alu(Op::ADD, end, Scalar(-1)) : Scalar(end.as_int() - Int(1))};
    }
    case Op::AFTER:
    case Op::INDEX:
      return of(u.src(0));
    case Op::STACK: {
      if (u.src_count() == 0) throw GraphError("an empty STACK has no bounds");
      Bounds b = of(u.src(0));
      for (const UOp s : u.srcs()) b = {smaller(b.min, of(s).min), larger(b.max, of(s).max)};
      return b;
    }
    case Op::CONST:
      if (!u.is_invalid()) return {u.val(), u.val()};
      break;
    case Op::CAST:
      return cast_bounds(u);
    default:
      break;
  }
  return whole(u.dtype());
}

}  // namespace

const Bounds& UOp::bounds() const {
  if (cache().bounds == nullptr)
    compute_postorder(
        *this, [](UOp u) { return u.cache().bounds != nullptr; }, bound_sources,
        [](UOp u) { u.cache().bounds = u.store().keep<Bounds>(compute_bounds(u)); });
  return *cache().bounds;
}

bool UOp::overflows(DType to) const {
  return python_less(vmin(), dtype_min(to)) || python_less(dtype_max(to), vmax());
}

}  // namespace rangescope
