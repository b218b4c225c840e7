#include "engine/symbolic/weak.h"

#include <algorithm>

#include "engine/ir/dtype_rules.h"
#include "engine/ir/error.h"
#include "engine/ir/store.h"

namespace rangescope::symbolic {

namespace {

bool is_weak_node(UOp u) {
  return u.is_weak();
}

std::vector<DType> dtypes_of(std::span<const UOp> uops) {
  std::vector<DType> list;
  for (const UOp u : uops) list.push_back(u.dtype());
  return list;
}

}  // namespace

DType default_dtype(UOp u) {
  if (u.dtype() == DType::weakfloat) return dtypes::default_float;
  return u.overflows(DType::int32) ? DType::int64 : DType::int32;
}

UOp commit_weak(UOp s, DType dtype) {
  return s.is_const() ? s.store().constant(s.val(), dtype) : s.cast(dtype);
}

UOp commit_srcs_at(UOp u, DType dtype) {
  UOps srcs(u.srcs().begin(), u.srcs().end());
  for (UOp& s : srcs)
    if (s.is_weak()) s = commit_weak(s, dtype);
  return u.rederive(srcs);
}

UOp commit_weak_srcs(UOp u) {
  if (std::ranges::none_of(u.srcs(), is_weak_node)) return {};
  const DType dtype = least_upper_dtype(dtypes_of(u.srcs()));
  return is_weak(dtype) ? UOp{} : commit_srcs_at(u, dtype);
}

namespace {

using namespace captures;

UOp with_src(UOp u, size_t i, UOp s) {
  UOps srcs(u.srcs().begin(), u.srcs().end());
  srcs.at(i) = s;
  return u.with_srcs(srcs);
}

// A cast over weak arithmetic states the width that the value will live at: a floor, never a narrowing.
UOp cast_weak_srcs(UOp cast_node, UOp u) {
  const DType to = cast_node.dtype();
  if (is_weak(to) || weak_dtype(to) != u.dtype()) return {};
  return commit_srcs_at(u, least_upper_dtype(to, default_dtype(u))).cast(to);
}

constexpr OpSet kLoweredOps = groups::Binary | groups::Unary | OpSet{Op::WHERE, Op::RANGE, Op::STACK, Op::SPECIAL};

// A node whose weak sources have all been lowered is lowered itself, and cast back to its weak dtype for its users.
UOp lower_weak_node(UOp u) {
  UOps srcs(u.srcs().begin(), u.srcs().end());
  for (UOp& s : srcs)
    if (s.is(Op::CAST) && s.is_weak()) s = s.src(0);
  const size_t start = u.is(Op::WHERE) ? 1 : 0;  // the condition has no part in the width
  if (std::ranges::equal(srcs, u.srcs())) return {};
  if (std::ranges::any_of(std::span(srcs).subspan(start), is_weak_node)) return {};
  DType dtype;
  if (u.in(groups::Binary)) {  // only these can widen from their bounds
    std::vector<DType> list{default_dtype(u)};
    for (const UOp s : srcs) list.push_back(s.dtype());
    dtype = least_upper_dtype(list);
  } else {
    const std::optional<DType> derived = derive_dtype(u.op(), srcs, u.arg());
    if (!derived) throw GraphError("a weak node's sources do not say its dtype");
    dtype = *derived;
  }
  for (UOp& s : std::span(srcs).subspan(start))
    if (!s.base().is_invalid()) s = commit_weak(s, strong_dtype(dtype));
  return u.rederive(srcs).cast(u.dtype());
}

UOp lower_storage(UOp u) {
  if (u.addrspace() != AddrSpace::ALU) return {};
  ParamArg arg = u.arg().as<ParamArg>();
  arg.dtype = default_dtype(u);
  return u.rederive(u.srcs(), Arg(std::move(arg))).cast(DType::weakint);
}

UOp lower_stacked_casts(UOp u, UOp x) {
  if (x.is_weak()) return {};
  return x.cast(default_dtype(u.src(0))).cast(default_dtype(u)).cast(u.dtype());
}

// A weak node as its concrete user takes it: lowered, without the cast back.
UOp lower(NodeMap& known, UOp s) {
  if (const UOp r = known.get(s)) return r;
  UOp r = graph_rewrite(s, pm_lower_weak());
  if (r.is(Op::CAST) && r.is_weak()) r = r.src(0);
  known.set(s, r);
  return r;
}

UOp lower_weak_srcs(NodeMap& known, UOp u) {
  // a comparison wants one width for its operands: lower it whole
  if (u.in(groups::Comparison)) return lower(known, u);
  UOps srcs(u.srcs().begin(), u.srcs().end());
  for (UOp& s : srcs)
    if (s.is_weak()) s = lower(known, s);
  return u.with_srcs(srcs);
}

UOp lower_srcs_of_concrete(const Match& m) {
  const UOp node = m[u];
  if (node.is_weak() || std::ranges::none_of(node.srcs(), is_weak_node)) return {};
  NodeMap fresh;
  return lower_weak_srcs(m.has_context() ? m.context<NodeMap>() : fresh, node);
}

// A gated index into a buffer of n elements lies in [0, n) where the gate holds: 32 bits will do.
UOp narrow_gated_index(UOp u, UOp buf, UOp gate, UOp idx) {
  if (buf.max_numel() - 1 > std::numeric_limits<int32_t>::max()) return {};
  return with_src(u, 1, idx.cast(DType::int32).valid(gate));
}

const RuleSet& lower_index_rows() {
  static const RuleSet rules(
      "lower_index_rows",
      {
          {"lower-weak-sources", "weak sources of a concrete node are computed at the width that they need",
           "uop/weak.py:75", pat(groups::All).named(u), lower_srcs_of_concrete},
          {"narrow-gated-index", "a gated 64-bit index into a buffer of at most 2^31 elements takes 32 bits",
           "uop/weak.py:79",
           pat_any_length({Op::INDEX, Op::SHRINK},
                          {var(buf), var(gate).where(var(idx, DType::int64), cnst(Scalar::invalid()))})
               .named(u),
           [](const Match& m) { return narrow_gated_index(m[u], m[buf], m[gate], m[idx]); }},
      });
  return rules;
}

}  // namespace

const RuleSet& pm_cast_weak() {
  static const RuleSet rules(
      "pm_cast_weak",
      {
          {"commit-cast-arithmetic", "weak arithmetic under a cast is computed at least at the cast's width",
           "uop/weak.py:28", pat(Op::CAST, {pat(groups::ALU).with_dtype(dtypes::weaks).named(u)}).named(c),
           [](const Match& m) { return cast_weak_srcs(m[c], m[u]); }},
          {"commit-cast-const", "a weak constant under a cast takes the cast's dtype", "uop/weak.py:29",
           pat(Op::CAST, {pat(Op::CONST).with_dtype(dtypes::weaks).named(u)}).named(c),
           [](const Match& m) { return commit_weak(m[u], m[c].dtype()); }},
      });
  return rules;
}

const RuleSet& pm_commit_weak() {
  static const RuleSet rules(
      "pm_commit_weak",
      {
          {"commit-weak-operands", "weak operands take the dtype of the concrete ones", "uop/weak.py:34",
           pat(groups::Broadcastable).named(u), [](const Match& m) { return commit_weak_srcs(m[u]); }},
          {"commit-stored-value", "a weak value takes the dtype of the place where it is stored", "uop/weak.py:36",
           pat_any_length(Op::STORE, {var(), var(std::nullopt, dtypes::weaks)}).named(u),
           [](const Match& m) { return with_src(m[u], 1, commit_weak(m[u].src(1), m[u].src(0).dtype())); }},
      });
  return rules;
}

const RuleSet& pm_lower_weak() {
  static const RuleSet rules(
      "pm_lower_weak",
      {
          {"lower-weak-const", "a weak constant takes the default dtype that holds it", "uop/weak.py:52",
           pat(Op::CONST).with_dtype(dtypes::weaks).named(u),
           [](const Match& m) { return m.store().constant(m[u].val(), default_dtype(m[u])).cast(m[u].dtype()); }},
          {"lower-stacked-casts", "of two weak casts in a row each resolves at the default dtype of its kind",
           "uop/weak.py:55",
           pat(Op::CAST, {pat(Op::CAST, {var(x)}).with_dtype(dtypes::weaks)}).with_dtype(dtypes::weaks).named(u),
           [](const Match& m) { return lower_stacked_casts(m[u], m[x]); }},
          {"lower-weak-variable", "a variable of index dtype takes the width of its bounds", "uop/weak.py:57",
           pat({Op::PARAM, Op::BUFFER}).with_dtype(DType::weakint).named(u),
           [](const Match& m) { return lower_storage(m[u]); }},
          {"lower-weak-node", "a node whose sources are lowered is lowered at a width that holds its bounds",
           "uop/weak.py:59", pat(kLoweredOps).named(u), [](const Match& m) { return lower_weak_node(m[u]); }},
      });
  return rules;
}

const RuleSet& pm_lower_index_dtype() {
  static const RuleSet rules("pm_lower_index_dtype", {&pm_commit_weak(), &pm_cast_weak(), &lower_index_rows()});
  return rules;
}

}  // namespace rangescope::symbolic
