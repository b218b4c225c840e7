// Factors of integer expressions (reference: uop/ops.py, const_factor, divides, divide_exact, pop_const). The walks
// below recurse in the reference; here they keep their own stack, so that a deep sum costs memory and not the process.

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "engine/ir/error.h"
#include "engine/ir/factor.h"
#include "engine/ir/scalar_alu.h"
#include "engine/ir/small_vector.h"
#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope {

namespace {

std::optional<Int> multiple_of(UOp u) {
  if (!u.is(Op::PARAM) && !u.is(Op::BUFFER)) return std::nullopt;
  const auto* p = u.arg().get_if<ParamArg>();
  return p == nullptr ? std::nullopt : p->multiple_of;
}

// Answers by node. The reference walks expressions as trees; where a walk gets long, parts that are shared are answered
// once, or a small graph would take forever.
template <class T>
class Answers {
 public:
  const T* find(UOp u) {
    if (++visits_ < kShort) return nullptr;
    const auto it = known_.find(u.id());
    return it == known_.end() ? nullptr : &it->second;
  }
  void keep(UOp u, const T& answer) {
    if (visits_ >= kShort) known_.try_emplace(u.id(), answer);
  }

 private:
  static constexpr size_t kShort = 64;
  size_t visits_ = 0;
  std::unordered_map<uint32_t, T> known_;
};

// The greatest common divisor over the terms of sums and stacks.
template <class Leaf>
Int gcd_of_terms(UOp root, Leaf leaf) {
  struct Frame {
    UOp u;
    size_t next;
    Int gcd;
  };
  Answers<Int> answers;
  SmallVector<Frame> stack;
  stack.push_back({root, 0, Int(0)});
  while (true) {
    Frame& f = stack.back();
    if ((f.u.is(Op::ADD) || f.u.is(Op::STACK)) && f.next < f.u.src_count()) {
      const UOp child = f.u.srcs()[f.next++];
      if (const Int* known = answers.find(child))
        f.gcd = gcd(f.gcd, *known);
      else
        stack.push_back({child, 0, Int(0)});
      continue;
    }
    const Int answer = f.u.is(Op::ADD) || f.u.is(Op::STACK) ? f.gcd : leaf(f.u);
    answers.keep(f.u, answer);
    stack.pop_back();
    if (stack.empty()) return answer;
    stack.back().gcd = gcd(stack.back().gcd, answer);
  }
}

// Divides an expression: `leaf` answers for a node (null: not known to divide) or leaves it to its parts, all of a sum
// or a stack and one of a product.
template <class Leaf>
UOp divide(UOp root, Leaf leaf) {
  struct Frame {
    UOp u;
    UOps quotients;
    size_t next;
  };
  Answers<UOp> answers;
  std::vector<Frame> stack;
  UOp asked = root, answer;
  while (true) {
    // `asked` is a node, or null when `answer` is for the node that was asked last.
    if (asked) {
      if (const UOp* known = answers.find(asked)) {
        answer = *known;
      } else if (const std::optional<UOp> now = leaf(asked)) {
        answers.keep(asked, *now);
        answer = *now;
      } else {
        stack.push_back({asked, {}, 0});
        asked = asked.src(0);
        continue;
      }
    }
    if (stack.empty()) return answer;
    Frame& f = stack.back();
    const bool product = f.u.is(Op::MUL);
    if (answer && !product) f.quotients.push_back(answer);
    const bool settled = product == static_cast<bool>(answer);  // one part of a product is enough, one of a sum too few
    if (!settled && ++f.next < f.u.src_count()) {
      asked = f.u.src(f.next);
      continue;
    }
    if (product)
      answer = !answer ? UOp() : f.next == 0 ? answer * f.u.src(1) : f.u.src(0) * answer;
    else if (answer)
      answer = f.u.is(Op::ADD) ? f.quotients[0] + f.quotients[1] : f.u.store().make(Op::STACK, f.quotients);
    answers.keep(f.u, answer);
    stack.pop_back();
    asked = UOp();
  }
}

}  // namespace

Int UOp::const_factor() const {
  return gcd_of_terms(*this, [](UOp u) -> Int {
    if (u.is_const()) return u.val().as_int();
    if (u.is(Op::MUL)) {
      if (u.src(0).is_const()) return u.src(0).val().as_int();
      if (u.src(1).is_const()) return u.src(1).val().as_int();
      return Int(1);
    }
    return multiple_of(u).value_or(Int(1));
  });
}

UOp UOp::divides(const Int& v) const {
  if (v == Int(1)) return *this;
  return divide(*this, [&](UOp u) -> std::optional<UOp> {
    if (u.is_const()) {
      const Int c = u.val().as_int();
      return floormod(c, v) == Int(0) ? u.const_like(Scalar(floordiv(c, v))) : UOp();
    }
    if ((u.is(Op::ADD) || u.is(Op::MUL)) && u.src_count() == 2) return std::nullopt;
    if (u.is(Op::STACK)) {
      if (u.src_count() > 0) return std::nullopt;
      return u.store().make(Op::STACK, std::span<const UOp>());
    }
    if (const auto m = multiple_of(u)) return floormod(*m, v) == Int(0) ? floordiv(u, Scalar(v)) : UOp();
    return UOp();  // not known
  });
}

std::pair<UOp, Scalar> UOp::pop_const(Op o) const {
  if (is(o) && src(1).is_const()) return {src(0), src(1).val()};
  return {*this, identity_element(o, dtype())};
}

UOp UOp::divide_exact(UOp v) const {
  return divide(*this, [&](UOp u) -> std::optional<UOp> {
    if (u == v) return u.const_like(Scalar(1));
    if (v.is_const()) return u.divides(v.val().as_int());
    if (u.is(Op::ADD) && u.src_count() == 2) return std::nullopt;
    if (!u.is(Op::MUL)) return UOp();
    const auto [fac, c] = u.pop_const(Op::MUL);
    const auto [div_fac, div_c] = v.pop_const(Op::MUL);
    Counter count;
    for (const UOp t : fac.split(Op::MUL)) count.add(t, 1);
    for (const UOp t : div_fac.split(Op::MUL)) count.add(t, -1);
    if (!c.is_integral() || !div_c.is_integral() || div_c.as_int().is_zero()) return UOp();
    if (floormod(c.as_int(), div_c.as_int()) != Int(0) || !count.all_non_negative()) return UOp();
    UOp product = u.const_like(Scalar(floordiv(c.as_int(), div_c.as_int())));
    for (const UOp t : count.elements()) product = product * t;
    return product;
  });
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
