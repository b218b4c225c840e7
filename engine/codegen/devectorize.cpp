#include "engine/codegen/devectorize.h"

#include <algorithm>

#include "engine/codegen/axis.h"
#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/schedule/movement_ops.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::codegen {

namespace {

UOp devectorize(const Match& m) {
  const UOp b = m[captures::b];
  const Shape& shape = b.shape();
  if (shape.empty()) return {};
  // broadcasts are unpacked first; the invalid value fits any shape
  const auto fits = [&](UOp x) {
    const Shape* s = x.shape_or_null();
    return (s != nullptr && *s == shape) || x.base().is_invalid();
  };
  if (!std::ranges::all_of(b.srcs(), fits)) return {};
  std::vector<int64_t> sizes;
  for (const Dim& d : shape) {
    if (!d.is_int()) throw GraphError("an op of symbolic shape is left in a kernel");
    sizes.push_back(d.value);
  }
  UOps out, idx, srcs;
  for_each_index(sizes, [&](std::span<const int64_t> at) {
    idx.clear();
    srcs.clear();
    for (const int64_t i : at) idx.push_back(m.store().constant(i));
    for (const UOp x : b.srcs()) {
      const UOp base = x.base();
      srcs.push_back(base.is_invalid() ? base : x.index(idx));
    }
    out.push_back(b.rederive(srcs));
  });
  return b.is(Op::STORE) ? m.store().group(out) : m.store().stack(out).reshape(shape);
}

UOp stack_wmma_operands(const Match& m) {
  const UOp u = m[captures::u];
  if (std::ranges::all_of(u.srcs(), [](UOp x) { return x.in(OpSet{Op::STACK, Op::WMMA}); })) return {};
  UOps srcs;
  for (const UOp b : u.srcs()) {
    if (b.is(Op::STACK)) {
      srcs.push_back(b);
      continue;
    }
    UOps parts;
    for (int64_t i = 0; i < b.max_numel(); ++i) parts.push_back(b.index({m.store().constant(i)}));
    srcs.push_back(m.store().stack(parts));
  }
  return u.with_srcs(srcs);
}

}  // namespace

const RuleSet& ew_devectorizer() {
  using namespace captures;
  static const RuleSet rules("ew_devectorizer",
                             {{"devectorize-elementwise", "an elementwise op on vectors becomes a vector of scalar ops",
                               "codegen/__init__.py:145", pat(groups::Elementwise).named(b), devectorize}});
  return rules;
}

const RuleSet& devectorizer2() {
  using namespace captures;
  static const RuleSet own(
      "devectorizer",
      {
          {"devectorize", "an op on vectors becomes a vector of scalar ops", "codegen/__init__.py:150",
           pat(groups::Elementwise | OpSet{Op::LOAD, Op::STORE}).named(b), devectorize},
          {"drop-empty-index", "an INDEX without indices is what it indexes", "codegen/__init__.py:152",
           pat(Op::INDEX, {var(x)}), [](const Match& m) { return m[x]; }},
          {"stack-wmma-operands", "a tensor core takes its operands element by element", "codegen/__init__.py:154",
           pat(Op::WMMA).named(u), stack_wmma_operands},
          {"split-stacked-index", "indexing a buffer with a vector is a vector of single elements",
           "codegen/__init__.py:156",
           pat(Op::INDEX, {pat({Op::PARAM, Op::BUFFER}).named(b), pat(Op::STACK).named(s)}).named(x),
           [](const Match& m) {
             UOps parts;
             for (const UOp u : m[s].srcs()) parts.push_back(m[x].with_srcs({m[b], u}));
             return m.store().stack(parts);
           }},
          {"reshape-after-index", "a reshaped index moves the reshape behind the INDEX", "codegen/__init__.py:159",
           pat(Op::INDEX, {pat({Op::PARAM, Op::BUFFER}).named(b), pat(Op::RESHAPE).named(s)}),
           [](const Match& m) { return m[b].index({m[s].src(0)}).reshape(m[s].shape()); }},
          {"drop-void-reshape", "what has no value has no shape", "codegen/__init__.py:162",
           pat(Op::RESHAPE).with_dtype(DType::void_).named(x), [](const Match& m) { return m[x].src(0); }},
          {"reshape-to-scalar", "the only element of a vector, as a scalar", "codegen/__init__.py:164",
           pat(Op::RESHAPE).named(x),
           [](const Match& m) {
             if (!m[x].marg_shape().empty() || m[x].src(0).shape() != Shape{1}) return UOp{};
             return m[x].src(0).index({m.store().constant(0)});
           }},
          {"stack-expanded-scalar", "an expanded scalar is the vector that repeats it", "codegen/__init__.py:166",
           pat(Op::EXPAND, {var(x), var()}).named(out),
           [](const Match& m) {
             if (!m[x].shape().empty()) return UOp{};
             const int64_t n = m[out].max_numel();
             if (m[out].shape() != Shape{n}) return UOp{};
             return m.store().stack(UOps(static_cast<size_t>(n), m[x]));
           }},
      });
  static const RuleSet rules("devectorizer2", {&symbolic::mop_cleanup(), &schedule::pm_mops(), &own});
  return rules;
}

}  // namespace rangescope::codegen
