#include "engine/ir/uop.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "engine/ir/dtype_rules.h"
#include "engine/ir/error.h"
#include "engine/ir/small_vector.h"
#include "engine/ir/store.h"

namespace rangescope {

void throw_source_out_of_range(UOp u, size_t i) {
  throw GraphError(fmt::format("{} (node {}) needs a source {}, it has {}", op_name(u.op()), u.id(), i, u.src_count()));
}

const Scalar& UOp::val() const {
  RS_CHECK(is_const(), "val is only for CONST");
  return arg().as<Scalar>();
}

bool UOp::is_invalid() const {
  if (!is_const()) return false;
  const auto* v = arg().get_if<Scalar>();
  return v != nullptr && v->is_invalid();
}

bool UOp::is_weak() const {
  return rangescope::is_weak(dtype());
}

UOp UOp::with_srcs(std::span<const UOp> s) const {
  if (std::ranges::equal(s, srcs())) return *this;
  return store().make_interned(op(), dtype(), s, node_->arg, node_->tag);
}

UOp UOp::with_arg(const Arg& arg) const {
  const Arg* a = store().intern(arg);
  return a == node_->arg ? *this : store().make_interned(op(), dtype(), srcs(), a, node_->tag);
}

UOp UOp::with_tag(const Arg& tag) const {
  const Arg* t = store().intern(tag);
  return t == node_->tag ? *this : store().make_interned(op(), dtype(), srcs(), node_->arg, t);
}

UOp UOp::with_op(Op o) const {
  return o == op() ? *this : store().make_interned(o, dtype(), srcs(), node_->arg, node_->tag);
}

UOp UOp::rederive(std::span<const UOp> s) const {
  return store().make_interned(op(), derive_dtype(op(), s, arg()).value_or(DType::void_), s, node_->arg, node_->tag);
}

UOp UOp::rederive(std::span<const UOp> s, const Arg& arg) const {
  const Arg* a = store().intern(arg);
  return store().make_interned(op(), derive_dtype(op(), s, *a).value_or(DType::void_), s, a, node_->tag);
}

UOp UOp::simplify() const {
  if (is_const()) return *this;
  if (is(Op::SINK) &&
      std::ranges::all_of(srcs(), [](UOp s) { return s.is_const() || (s.is(Op::STACK) && s.src_count() == 0); }))
    return *this;
  if (store().simplify_hook == nullptr)
    throw GraphError(
        "this graph has symbolic sizes, and the store has no simplifier: make it with symbolic::make_store");
  return store().simplify_hook(*this);
}

Dim UOp::ssimplify() const {
  const UOp s = simplify();
  const auto small = [](const Scalar& v) {
    const std::optional<int64_t> i = v.is_int() || v.is_bool() ? v.as_int().to_int64() : std::nullopt;
    if (!i) throw GraphError("a dimension is no integer that fits 64 bits");
    return *i;
  };
  if (s.is(Op::CAST) && s.src(0).is_const() && !s.src(0).is_invalid())
    return small(dtype_const(s.dtype(), s.src(0).val()));
  if (s.is_const() && !s.is_invalid()) return small(s.val());
  return s;
}

bool UOp::in_backward_slice(UOp needle) const {
  if (!below_ops().contains(needle.op())) return false;
  if (needle.id() >= id()) return false;  // sources are made before their users
  Marks seen(store());
  SmallVector<UOp, 32> stack{*this};
  while (!stack.empty()) {
    const UOp u = stack.back();
    stack.pop_back();
    for (const UOp s : u.srcs()) {
      if (s == needle) return true;
      if (s.id() > needle.id() && seen.insert(s)) stack.push_back(s);
    }
  }
  return false;
}

size_t UOp::backward_slice_size() const {
  Marks seen(store());
  size_t count = 0;
  SmallVector<UOp, 32> stack{*this};
  while (!stack.empty()) {
    const UOp u = stack.back();
    stack.pop_back();
    for (const UOp s : u.srcs())
      if (seen.insert(s)) {
        ++count;
        stack.push_back(s);
      }
  }
  return count;
}

UOps UOp::split(Op sep) const {
  UOps terms;
  SmallVector<UOp> stack{*this};
  while (!stack.empty()) {
    const UOp u = stack.back();
    stack.pop_back();
    if (u.is(sep))
      stack.insert(stack.end(), u.srcs().rbegin(), u.srcs().rend());
    else
      terms.push_back(u);
  }
  return terms;
}

int compare_tuplize(UOp a, UOp b) {
  // Lexicographic over the unfolded trees, with an explicit stack. Equal nodes are skipped by identity; nodes that
  // differ only in tags below compare equal pair by pair, each pair once.
  struct Item {
    UOp a, b;
    size_t next;
  };
  SmallVector<Item> stack;
  stack.push_back({a, b, 0});
  std::unordered_set<uint64_t> equal;
  const auto key = [](UOp x, UOp y) { return static_cast<uint64_t>(x.id()) << 32 | y.id(); };
  const auto head = [](UOp x, UOp y) -> int {
    if (x.op() != y.op()) return x.op() < y.op() ? -1 : 1;
    if (x.node()->arg != y.node()->arg)
      if (const int c = x.arg().compare(y.arg())) return c;
    if (x.dtype() != y.dtype()) return dtype_less(x.dtype(), y.dtype()) ? -1 : 1;
    return 0;
  };
  if (a == b) return 0;
  if (const int c = head(a, b)) return c;
  while (!stack.empty()) {
    Item& top = stack.back();
    const size_t na = top.a.src_count(), nb = top.b.src_count();
    if (top.next == std::min(na, nb)) {
      if (na != nb) return na < nb ? -1 : 1;
      equal.insert(key(top.a, top.b));
      stack.pop_back();
      continue;
    }
    const UOp x = top.a.srcs()[top.next], y = top.b.srcs()[top.next];
    ++top.next;
    if (x == y || equal.contains(key(x, y))) continue;
    if (const int c = head(x, y)) return c;
    stack.push_back({x, y, 0});
  }
  return 0;
}

}  // namespace rangescope
