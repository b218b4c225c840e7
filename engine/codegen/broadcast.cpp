#include "engine/codegen/broadcast.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "engine/codegen/axis.h"
#include "engine/ir/dim.h"
#include "engine/ir/error.h"

namespace rangescope::codegen {

namespace {

std::vector<int64_t> argsort(std::span<const int64_t> v) {
  std::vector<int64_t> order(v.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t i) { return v[static_cast<size_t>(i)]; });
  return order;
}

UOp add_into_wmma(UOp wmma, UOp add) {
  return wmma.store().make(Op::WMMA, {wmma.src(0), wmma.src(1), wmma.src(2) + add}, wmma.arg());
}

UOp expand_operands(const Match& m) {
  const UOp x = m[captures::x];
  std::vector<const Shape*> shapes;
  for (const UOp u : x.srcs()) {
    shapes.push_back(u.shape_or_null());
    if (shapes.back() == nullptr) return {};
  }
  if (std::ranges::all_of(shapes, [&](const Shape* s) { return *s == *shapes[0]; })) return {};
  const Shape shape = broadcast_shape(shapes);
  UOps srcs;
  for (const UOp u : x.srcs()) srcs.push_back(u.expand(shape));
  return x.with_srcs(srcs);
}

UOp devectorize_wmma(const Match& m) {
  const UOp b = m[captures::b];
  std::vector<Shape> outer;
  for (const UOp u : b.srcs()) outer.emplace_back(u.shape().begin(), u.shape().end() - 1);
  if (std::ranges::all_of(outer, [&](const Shape& s) { return s == outer[0]; })) return {};
  std::vector<const Shape*> shapes;
  shapes.reserve(outer.size());
  for (const Shape& s : outer) shapes.push_back(&s);
  const Shape shape = broadcast_shape(shapes);
  UOps expanded;
  for (const UOp u : b.srcs()) {
    Shape to = shape;
    to.push_back(u.shape().back());
    expanded.push_back(u.expand(to));
  }
  std::vector<int64_t> sizes = b.max_shape();
  sizes.pop_back();
  UOps out;
  for_each_index(sizes, [&](std::span<const int64_t> at) {
    UOps idx, srcs;
    for (const int64_t i : at) idx.push_back(m.store().constant(i));
    for (const UOp u : expanded) srcs.push_back(u.index(idx));
    out.push_back(b.with_srcs(srcs));
  });
  return m.store().stack(out).reshape(b.shape());
}

// A bitcast between sizes reads memory as it lies there: it is no value to load yet.
bool changes_shape(UOp u) {
  return u.is(Op::BITCAST) && u.shape() != u.src(0).shape();
}

UOp loaded(UOp u) {
  const std::optional<AddrSpace> a = u.addrspace();
  return a == AddrSpace::GLOBAL || a == AddrSpace::LOCAL || a == AddrSpace::REG ? u.load() : u;
}

}  // namespace

const RuleSet& pm_wmma_add() {
  using namespace captures;
  static const RuleSet rules(
      "pm_wmma_add",
      {
          {"add-into-wmma", "a sum with a tensor core's result starts its accumulator", "codegen/__init__.py:109",
           pat(Op::WMMA).named(wmma) + var(add), [](const Match& m) { return add_into_wmma(m[wmma], m[add]); }},
          {"add-through-permuted-wmma", "the sum passes the permute of a tensor core's result",
           "codegen/__init__.py:112", pat(Op::PERMUTE, {pat(Op::WMMA).named(wmma)}).named(permute) + var(add),
           [](const Match& m) {
             const AxisList perm = m[permute].marg_perm();
             return (m[wmma] + m[add].permute(argsort(perm))).permute(perm);
           }},
          {"add-through-reshaped-wmma", "the sum passes the permute and reshape of a tensor core's result",
           "codegen/__init__.py:114",
           pat(Op::PERMUTE, {pat(Op::RESHAPE, {pat(Op::WMMA).named(wmma), var()}).named(reshape)}).named(permute) +
               var(add),
           [](const Match& m) {
             const AxisList perm = m[permute].marg_perm();
             const UOp addend = m[add].permute(argsort(perm)).reshape(m[wmma].shape());
             return (m[wmma] + addend).reshape(m[reshape].shape()).permute(perm);
           }},
      });
  return rules;
}

const RuleSet& pm_expand_broadcast() {
  using namespace captures;
  static const RuleSet own(
      "expand broadcast",
      {
          {"expand-operands", "operands of different shapes are expanded to their common one",
           "codegen/__init__.py:119", pat(groups::Binary | groups::Ternary | Op::STORE).named(x), expand_operands},
          {"split-broadcast-wmma", "a broadcast tensor core op becomes one op for each outer index",
           "codegen/__init__.py:120", pat(Op::WMMA).named(b), devectorize_wmma},
      });
  static const RuleSet rules("pm_expand_broadcast", {&pm_wmma_add(), &own});
  return rules;
}

const RuleSet& pm_add_loads() {
  using namespace captures;
  static const RuleSet rules(
      "pm_add_loads", {
                          {"load-operands", "an operand that lies in memory is loaded", "codegen/__init__.py:239",
                           pat(groups::Elementwise | OpSet{Op::REDUCE, Op::WMMA, Op::STACK}).named(x),
                           [](const Match& m) {
                             const UOp u = m[x];
                             if (changes_shape(u)) return UOp{};
                             UOps srcs;
                             for (const UOp s : u.srcs()) srcs.push_back(loaded(s));
                             return u.with_srcs(srcs);
                           }},
                          {"load-stored-value", "a stored value that lies in memory is loaded",
                           "codegen/__init__.py:241", pat(Op::STORE).named(x),
                           [](const Match& m) {
                             UOps srcs(m[x].srcs().begin(), m[x].srcs().end());
                             srcs.at(1) = loaded(srcs.at(1));
                             return m[x].with_srcs(srcs);
                           }},
                      });
  return rules;
}

}  // namespace rangescope::codegen
