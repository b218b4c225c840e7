#include "engine/codegen/gater.h"

#include "engine/ir/error.h"

namespace rangescope::codegen {

namespace {

// A where around a gated load gives the load's value where the gate is closed.
UOp alternative_of_load(const Match& m) {
  const UOp l = m[captures::l], a = m[captures::a];
  UOp alt;
  if (a.is_invalid())
    alt = l.vconst_like(Scalar(0));
  else if (a.is_const())
    alt = l.const_like(a.val());
  else if (a.is(Op::CAST) && a.src(0).dtype() == l.dtype())
    alt = a.src(0);
  else
    alt = a.cast(l.dtype());
  return l.with_srcs({l.src(0), alt, l.src(2)}).cast(m[captures::w].dtype());
}

UOp ungated(const Match& m) {
  UOps srcs(m[captures::mop].srcs().begin(), m[captures::mop].srcs().end());
  srcs.at(1) = m[captures::idx];
  return m[captures::mop].with_srcs(srcs);
}

Pat invalid_value() {
  return var().with_arg(Arg(Scalar::invalid()));
}

}  // namespace

const RuleSet& pm_move_gates_from_index() {
  using namespace captures;
  const auto image = [] {
    return var(buf).index({var(gate).where(var(idx_y), invalid_value()), var(gate).where(var(idx_x), invalid_value())});
  };
  const auto gated = [] {
    return pat_any_length({Op::INDEX, Op::SHRINK}, {var(), var(gate).where(var(idx), invalid_value())}).named(mop);
  };
  const auto gated_load = [](const Pat& g) { return pat(Op::LOAD, {var(), var(), g}).named(l).or_casted(); };
  static const RuleSet rules(
      "pm_move_gates_from_index",
      {
          {"gate-image-load", "the condition of an image index gates the load, which gives 0 where it is false",
           "codegen/late/gater.py:12", image().load().named(l),
           [](const Match& m) {
             return m[buf].index({m[idx_y], m[idx_x]}).load({m[l].vconst_like(Scalar(0)), m[gate]});
           }},
          {"gate-image-store", "the condition of an image index gates the store", "codegen/late/gater.py:15",
           image().store(var(data)),
           [](const Match& m) {
             return m[buf].index({m[idx_y], m[idx_x]}).store_value(m[data], m[gate]);
           }},
          {"gate-load", "the condition of an index gates the load, which gives 0 where it is false",
           "codegen/late/gater.py:20", gated().load().named(l),
           [](const Match& m) {
             return ungated(m).load({m[l].vconst_like(Scalar(0)), m[gate]});
           }},
          {"gate-store", "the condition of an index gates the store", "codegen/late/gater.py:22",
           gated().store(var(data)), [](const Match& m) { return ungated(m).store_value(m[data], m[gate]); }},
          {"where-gated-load", "a where on a load's gate gives the load's other value", "codegen/late/gater.py:25",
           var(gate).where(gated_load(var(gate, DType::bool_)), var(a)).named(w), alternative_of_load},
          {"where-not-gated-load", "a where on the opposite of a load's gate gives the load's other value",
           "codegen/late/gater.py:27",
           var(gate).where(var(a), gated_load(var(gate, DType::bool_).logical_not())).named(w), alternative_of_load},
      });
  return rules;
}

}  // namespace rangescope::codegen
