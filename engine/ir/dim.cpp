#include "engine/ir/dim.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/error.h"
#include "engine/ir/store.h"
#include "engine/ir/text.h"

namespace rangescope {

namespace {

// By reference: the result is written while the other argument is evaluated.
int64_t checked(bool overflowed, const int64_t& v) {
  if (overflowed) throw GraphError("a product of dimensions does not fit 64 bits: the tensor is too large");
  return v;
}

// One operand at least is symbolic; an integer operand becomes a constant as the reference's operators make it.
template <class Int2, class Sym>
Dim apply(const Dim& a, const Dim& b, Int2 ints, Sym syms) {
  if (a.is_int() && b.is_int()) return ints(a.value, b.value);
  Store& store = a.sym ? a.sym.store() : b.sym.store();
  return Dim(syms(a.sym ? a.sym : store.constant(a.value), b.sym ? b.sym : store.constant(b.value)));
}

}  // namespace

Dim operator+(const Dim& a, const Dim& b) {
  return apply(
      a, b,
      [](int64_t x, int64_t y) {
        int64_t r = 0;
        const bool overflowed = __builtin_add_overflow(x, y, &r);
        return Dim(checked(overflowed, r));
      },
      [](UOp x, UOp y) { return x + y; });
}
Dim operator-(const Dim& a, const Dim& b) {
  return apply(
      a, b,
      [](int64_t x, int64_t y) {
        int64_t r = 0;
        const bool overflowed = __builtin_sub_overflow(x, y, &r);
        return Dim(checked(overflowed, r));
      },
      [](UOp x, UOp y) { return x - y; });
}
Dim operator*(const Dim& a, const Dim& b) {
  return apply(
      a, b,
      [](int64_t x, int64_t y) {
        int64_t r = 0;
        const bool overflowed = __builtin_mul_overflow(x, y, &r);
        return Dim(checked(overflowed, r));
      },
      [](UOp x, UOp y) { return x * y; });
}
Dim floordiv(const Dim& a, const Dim& b) {
  return apply(
      a, b,
      [](int64_t x, int64_t y) {
        if (y == 0) throw GraphError("division of a dimension by zero");
        return Dim(*floordiv(Int(x), Int(y)).to_int64());
      },
      [](UOp x, UOp y) { return floordiv(x, y); });
}
Dim floormod(const Dim& a, const Dim& b) {
  return apply(
      a, b,
      [](int64_t x, int64_t y) {
        if (y == 0) throw GraphError("remainder of a dimension by zero");
        return Dim(*floormod(Int(x), Int(y)).to_int64());
      },
      [](UOp x, UOp y) { return x % y; });
}

Dim product(std::span<const Dim> dims) {
  Dim r = 1;
  for (const Dim& d : dims) r = r * d;
  return r;
}

bool all_int(std::span<const Dim> dims) {
  return std::ranges::all_of(dims, [](const Dim& d) { return d.is_int(); });
}

int64_t max_of(const Dim& d) {
  if (d.is_int()) return d.value;
  const std::optional<int64_t> v = d.sym.vmax().as_int().to_int64();
  if (!v) throw GraphError("a symbolic dimension has no bound that fits 64 bits");
  return *v;
}

std::string to_string(const Dim& d) {
  return d.is_int() ? std::to_string(d.value) : short_label(d.sym);
}
std::string to_string(std::span<const Dim> dims) {
  std::string s = "(";
  for (size_t i = 0; i < dims.size(); ++i) s += (i > 0 ? ", " : "") + to_string(dims[i]);
  return s + (dims.size() == 1 ? ",)" : ")");
}

bool resolve(UOp condition, bool otherwise) {
  if (condition.dtype() != DType::bool_) throw GraphError("a condition on shapes must be bool");
  const Bounds& b = condition.simplify().bounds();
  return python_equal(b.min, b.max) ? b.min.truthy() : otherwise;
}

namespace {
// Decides int against int at once and hands the rest to the simplifier.
template <class Int2, class Sym>
bool decide(const Dim& a, const Dim& b, bool otherwise, Int2 ints, Sym syms) {
  if (a.is_int() && b.is_int()) return ints(a.value, b.value);
  Store& store = a.sym ? a.sym.store() : b.sym.store();
  return resolve(syms(a.sym ? a.sym : store.constant(a.value), b.sym ? b.sym : store.constant(b.value)), otherwise);
}
}  // namespace

bool resolve_ne(const Dim& a, const Dim& b, bool otherwise) {
  return decide(
      a, b, otherwise, [](int64_t x, int64_t y) { return x != y; }, [](UOp x, UOp y) { return x.ne(y); });
}
bool resolve_ge(const Dim& a, const Dim& b, bool otherwise) {
  return decide(
      a, b, otherwise, [](int64_t x, int64_t y) { return x >= y; }, [](UOp x, UOp y) { return ge(x, y); });
}
bool resolve_le(const Dim& a, const Dim& b, bool otherwise) {
  return decide(
      a, b, otherwise, [](int64_t x, int64_t y) { return x <= y; }, [](UOp x, UOp y) { return le(x, y); });
}
bool resolve_lt(const Dim& a, const Dim& b, bool otherwise) {
  return decide(
      a, b, otherwise, [](int64_t x, int64_t y) { return x < y; }, [](UOp x, UOp y) { return lt(x, y); });
}

bool must_be_equal(const Dim& a, const Dim& b) {
  if (a.is_int() && b.is_int()) return a.value == b.value;
  Store& store = a.sym ? a.sym.store() : b.sym.store();
  const UOp differs = (a.sym ? a.sym : store.constant(a.value)).ne(b.sym ? b.sym : store.constant(b.value)).simplify();
  const Bounds& v = differs.bounds();
  if (!python_equal(v.min, v.max))
    throw GraphError(fmt::format("cannot tell whether {} equals {}", to_string(a), to_string(b)));
  return !v.min.truthy();
}

Shape broadcast_shape(std::span<const Shape* const> shapes) {
  size_t rank = 0;
  bool same = true;
  for (const Shape* s : shapes) {
    rank = std::max(rank, s->size());
    same = same && *s == *shapes[0];
  }
  if (same) return *shapes[0];
  Shape out(rank, Dim(1));
  for (size_t i = 0; i < rank; ++i) {
    bool found = false;
    for (const Shape* s : shapes) {
      const size_t missing = rank - s->size();
      const Dim d = i < missing ? Dim(1) : (*s)[i - missing];
      if (d == Dim(1) || (found && d == out[i])) continue;
      if (found) {
        std::string all;
        for (const Shape* t : shapes) all += (all.empty() ? "" : " ") + to_string(*t);
        throw GraphError("shapes cannot be broadcast together: " + all);
      }
      out[i] = d;
      found = true;
    }
  }
  return out;
}

AxisList broadcast_axes(const Shape& src, const Shape& out) {
  if (src.size() > out.size())
    throw GraphError(fmt::format("cannot broadcast {} into {}", to_string(src), to_string(out)));
  const size_t left = out.size() - src.size();
  AxisList axes;
  for (size_t i = 0; i < left; ++i) axes.push_back(static_cast<int64_t>(i));
  for (size_t i = 0; i < src.size(); ++i)
    if (src[i] == Dim(1) && resolve_ne(out[left + i], Dim(1))) axes.push_back(static_cast<int64_t>(left + i));
  return axes;
}

Dim simplified(const Dim& d) {
  return d.is_int() ? d : d.sym.ssimplify();
}

}  // namespace rangescope
