#include "engine/schedule/contiguous_view.h"

#include <algorithm>

#include "engine/ir/dim.h"
#include "engine/ir/store.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/movement_ops.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

// A base that is found is tagged.
bool is_tagged(UOp u) {
  const Arg& tag = u.tag();
  if (tag.is_none()) return false;
  if (const auto* t = tag.get_if<Arg::Tuple>()) return !t->empty();
  if (const auto* s = tag.get_if<std::string>()) return !s->empty();
  const auto* v = tag.get_if<Scalar>();
  return v == nullptr || v->truthy();
}

UOp tagged_at(const Match& m, UOp offset) {
  return m[b].with_tag(Arg(true)).index({offset});
}

UOp flatten_bitcast(const Match& m) {
  const UOp bitcast = m[b];
  if (bitcast.ndim() == 1) return {};
  return bitcast.src(0).flatten().bitcast(bitcast.dtype()).reshape(bitcast.shape());
}

// An element of the bitcast stands at so many elements of its source.
UOp index_below_bitcast(const Match& m) {
  const UOp bitcast = m[b];
  if (!is_tagged(bitcast)) return {};
  const Dim to(static_cast<int64_t>(itemsize(bitcast.dtype())));
  const Dim from(static_cast<int64_t>(itemsize(bitcast.src(0).dtype())));
  const UOp range = m.store().range(floordiv(m.context<const UOp>().numel() * to, from), 0);
  const UOp offset = floordiv(m[c] * Scalar(to.value), Scalar(from.value));
  return bitcast.src(0).flatten().index({range + offset});
}

}  // namespace

const RuleSet& pm_contiguous_view_offset() {
  static const RuleSet rules(
      "pm_contiguous_view_offset",
      {
          {"flatten-bitcast", "a BITCAST acts on one axis", "uop/ops.py:1772", pat(Op::BITCAST).named(b),
           flatten_bitcast},
          {"view-through-bitcast", "a run of a BITCAST is a run of its source", "uop/ops.py:1773",
           pat(Op::BITCAST).named(b).index({cvar(c)}), index_below_bitcast},
          {"view-of-scalar", "a value without axes is at offset 0", "uop/ops.py:1775", pat(Op::INDEX, {var(b)}),
           [](const Match& m) { return tagged_at(m, m.store().constant(0)); }},
          {"view-from-start", "indexed by the range itself, the view starts at 0", "uop/ops.py:1776",
           pat(Op::INDEX, {var(b), pat(Op::RANGE)}),
           [](const Match& m) { return tagged_at(m, m.store().constant(0)); }},
          {"view-from-offset", "indexed by the range plus a constant, the view starts there", "uop/ops.py:1777",
           pat(Op::INDEX, {var(b), pat(Op::RANGE) + cvar(c)}), [](const Match& m) { return tagged_at(m, m[c]); }},
          {"view-of-one-element", "a view of one element may be anywhere", "uop/ops.py:1778",
           pat(Op::INDEX, {var(b), cvar(c)}),
           [](const Match& m) {
             const Dim n = m.context<const UOp>().numel();
             return n == Dim(1) ? tagged_at(m, m[c]) : UOp{};
           }},
      });
  return rules;
}

namespace {

const RuleSet& rules() {
  static const RuleSet all("contiguous_view_offset", {&pm_mops(), &symbolic::symbolic(), &pm_contiguous_view_offset()});
  return all;
}

bool has_views(const Device& device) {
  return std::ranges::none_of(device.names,
                              [](const std::string& d) { return d.starts_with("WEBGPU") || d.starts_with("CL"); });
}

}  // namespace

std::optional<ContiguousView> contiguous_view(UOp u) {
  if (!has_views(u.device())) return std::nullopt;
  const UOp indexed = u.flatten().index({u.store().range(u.numel(), 0)});
  const UOp out = graph_rewrite(indexed, rules(), {.name = "contiguous_view_offset", .context = &u});
  if (!out.is(Op::INDEX) || !is_tagged(out.src(0)) || !out.src(1).is_const() || !out.src(1).val().is_integral())
    return std::nullopt;
  return ContiguousView{out.src(0).with_tag(Arg::none()), out.src(1).val().as_int()};
}

}  // namespace rangescope::schedule
