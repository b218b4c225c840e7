#pragma once
// Arithmetic on dimensions: sizes as integers, symbolic ones as expressions (reference: sint in uop/ops.py).

#include <span>
#include <string>

#include "engine/ir/uop.h"

namespace rangescope {

Dim operator+(const Dim& a, const Dim& b);
Dim operator-(const Dim& a, const Dim& b);
Dim operator*(const Dim& a, const Dim& b);
Dim floordiv(const Dim& a, const Dim& b);
Dim floormod(const Dim& a, const Dim& b);

// 1 * d0 * d1 * ..., in this order.
Dim product(std::span<const Dim> dims);
bool all_int(std::span<const Dim> dims);
int64_t max_of(const Dim& d);  // the size, or the largest value of the expression
std::string to_string(const Dim& d);
std::string to_string(std::span<const Dim> dims);

// Truth of a condition whose value may depend on variables: `otherwise` where it is not decided.
bool resolve(UOp condition, bool otherwise = true);
bool resolve_ne(const Dim& a, const Dim& b, bool otherwise = true);
bool resolve_ge(const Dim& a, const Dim& b, bool otherwise = true);  // a >= b
bool resolve_le(const Dim& a, const Dim& b, bool otherwise = true);  // a <= b
bool resolve_lt(const Dim& a, const Dim& b, bool otherwise = true);  // a < b
// a == b where it must be decided; refused where it is not (the reference's truth value of an expression).
bool must_be_equal(const Dim& a, const Dim& b);

Shape broadcast_shape(std::span<const Shape* const> shapes);
// Axes of `out` that are added to or expanded from `src`.
AxisList broadcast_axes(const Shape& src, const Shape& out);

Dim simplified(const Dim& d);

}  // namespace rangescope
