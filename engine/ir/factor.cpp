// Factors of integer expressions (reference: uop/ops.py, const_factor, divides, divide_exact, pop_const). The walks
// below recurse in the reference; here they keep their own stack, so that a deep sum costs memory and not the process.

#include <algorithm>

#include "engine/ir/error.h"
#include "engine/ir/factor.h"
#include "engine/ir/scalar_alu.h"
#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope {

namespace {

std::optional<Int> multiple_of(UOp u) {
  if (!u.is(Op::PARAM) && !u.is(Op::BUFFER)) return std::nullopt;
  const ParamArg* p = u.arg().get_if<ParamArg>();
  return p == nullptr ? std::nullopt : p->multiple_of;
}

// A fold over an expression's tree: `expand` pushes the children that it wants answers for, `combine` sees their
// answers.
template <class T, class Leaf, class Combine>
T fold(UOp root, OpSet inner, Leaf leaf, Combine combine) {
  struct Frame {
    UOp u;
    size_t next = 0;
    std::vector<T> answers;
  };
  std::vector<Frame> stack;
  std::vector<T> done;
  stack.push_back({root, 0, {}});
  T result{};
  while (!stack.empty()) {
    Frame& f = stack.back();
    std::optional<T> answer;
    if (!inner.contains(f.u.op())) {
      answer = leaf(f.u);
    } else if (f.next < f.u.src_count()) {
      const UOp child = f.u.srcs()[f.next++];
      stack.push_back({child, 0, {}});
      continue;
    } else {
      answer = combine(f.u, f.answers);
    }
    stack.pop_back();
    if (stack.empty())
      result = std::move(*answer);
    else
      stack.back().answers.push_back(std::move(*answer));
  }
  return result;
}

}  // namespace

Int UOp::const_factor() const {
  return fold<Int>(
      *this, OpSet{Op::ADD, Op::STACK},
      [](UOp u) -> Int {
        if (u.is_const()) return u.val().as_int();
        if (u.is(Op::MUL)) {
          if (u.src(0).is_const()) return u.src(0).val().as_int();
          if (u.src(1).is_const()) return u.src(1).val().as_int();
          return Int(1);
        }
        return multiple_of(u).value_or(Int(1));
      },
      [](UOp, const std::vector<Int>& parts) {
        Int g(0);
        for (const Int& p : parts) g = gcd(g, p);
        return g;
      });
}

UOp UOp::divides(const Int& v) const {
  if (v == Int(1)) return *this;
  switch (op()) {
    case Op::CONST: {
      const Int c = val().as_int();
      return floormod(c, v) == Int(0) ? const_like(Scalar(floordiv(c, v))) : UOp{};
    }
    case Op::STACK: {
      UOps parts;
      for (const UOp s : srcs()) {
        const UOp d = s.divides(v);
        if (!d) return {};
        parts.push_back(d);
      }
      return store().make(Op::STACK, parts);
    }
    case Op::ADD: {
      // Left-deep sums are the usual shape: walk down the left spine, then add the quotients back up.
      UOps right;
      UOp left = *this;
      for (; left.is(Op::ADD); left = left.src(0)) right.push_back(left.src(1));
      UOp sum = left.divides(v);
      if (!sum) return {};
      for (size_t i = right.size(); i-- > 0;) {
        const UOp d = right[i].divides(v);
        if (!d) return {};
        sum = sum + d;
      }
      return sum;
    }
    case Op::MUL:
      if (const UOp d = src(0).divides(v)) return d * src(1);
      if (const UOp d = src(1).divides(v)) return src(0) * d;
      return {};
    default:
      break;
  }
  if (const auto m = multiple_of(*this)) return floormod(*m, v) == Int(0) ? floordiv(*this, Scalar(v)) : UOp{};
  return {};  // not known
}

std::pair<UOp, Scalar> UOp::pop_const(Op o) const {
  if (is(o) && src(1).is_const()) return {src(0), src(1).val()};
  return {*this, identity_element(o, dtype())};
}

UOp UOp::divide_exact(UOp v) const {
  if (*this == v) return const_like(Scalar(1));
  if (v.is_const()) return divides(v.val().as_int());
  if (is(Op::ADD)) {
    const UOp a = src(0).divide_exact(v);
    const UOp b = a ? src(1).divide_exact(v) : UOp{};
    return a && b ? a + b : UOp{};
  }
  if (is(Op::MUL)) {
    const auto [fac, c] = pop_const(Op::MUL);
    const auto [div_fac, div_c] = v.pop_const(Op::MUL);
    Counter count;
    for (const UOp t : fac.split(Op::MUL)) count.add(t, 1);
    for (const UOp t : div_fac.split(Op::MUL)) count.add(t, -1);
    if (!c.is_integral() || !div_c.is_integral() || div_c.as_int().is_zero()) return {};
    if (floormod(c.as_int(), div_c.as_int()) != Int(0) || !count.all_non_negative()) return {};
    UOp product = const_like(Scalar(floordiv(c.as_int(), div_c.as_int())));
    for (const UOp t : count.elements()) product = product * t;
    return product;
  }
  return {};
}

UOp gcd(std::span<const UOp> uops) {
  UOps terms;
  Int g(0);
  for (const UOp u : uops) {
    const Int f = u.const_factor();
    terms.push_back(u.divides(f));
    g = gcd(g, f);
  }
  Counter common;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (!terms[i]) throw GraphError("an expression is not divided by its own constant factor");
    Counter c;
    for (const UOp t : terms[i].split(Op::MUL)) c.add(t, 1);
    if (i == 0)
      common = c;
    else
      common.intersect(c);
  }
  UOps factors = common.elements();
  factors.push_back(terms[0].const_like(Scalar(g)));  // the constant on top
  UOp product = factors[0].store().constant(1);
  bool first = true;
  for (const UOp f : factors) {
    product = first ? binop(Op::MUL, Scalar(1), f) : product * f;
    first = false;
  }
  return product;
}

void Counter::add(UOp u, int64_t n) {
  for (auto& [key, count] : items_)
    if (key == u) {
      count += n;
      return;
    }
  items_.emplace_back(u, n);
}

void Counter::intersect(const Counter& other) {
  std::vector<std::pair<UOp, int64_t>> kept;
  for (const auto& [key, count] : items_)
    for (const auto& [k, c] : other.items_)
      if (k == key && std::min(count, c) > 0) kept.emplace_back(key, std::min(count, c));
  items_ = std::move(kept);
}

bool Counter::all_non_negative() const {
  return std::ranges::all_of(items_, [](const auto& i) { return i.second >= 0; });
}

UOps Counter::elements() const {
  UOps out;
  for (const auto& [key, count] : items_)
    for (int64_t i = 0; i < count; ++i) out.push_back(key);
  return out;
}

}  // namespace rangescope
