// Casts that do nothing, fold, or merge.

#include "engine/ir/error.h"
#include "engine/ir/scalar_alu.h"
#include "engine/symbolic/families.h"

namespace rangescope::symbolic::families {

namespace {

using namespace captures;

// Bits can be read where both dtypes have a struct format (bfloat16 and fp8 have none) of one size.
UOp fold_bitcast(const Match& m) {
  const DType from = m[c].dtype();
  const DType to = m[root].dtype();
  if (info(from).fmt == 0 || info(to).fmt == 0 || itemsize(from) != itemsize(to)) return {};
  return m[root].const_like(bitcast(truncate(from, m[c].val()), from, to));
}

// Whether every value of x fits the int dtype.
bool fits(UOp u, DType to) {
  return !u.overflows(to);
}

// Arithmetic of long ints whose operands and result fit an int; a weak constant stays weak.
UOp long_to_int(const Match& m) {
  const UOp p = m[x];
  const UOp q = m[y];
  if (p.dtype() != DType::int64 && q.dtype() != DType::int64) return {};
  const UOp u = m.root();
  if (!fits(u, DType::int32) || !fits(p, DType::int32) || !fits(q, DType::int32)) return {};
  const auto narrow = [&](UOp s) { return s.is_const() ? m.store().constant(s.val()) : s.cast(DType::int32); };
  return narrow(p).alu(u.op(), narrow(q)).cast(u.dtype());
}

Pat nested_cast() {
  return var(x).cast().named(a).cast().named(b);
}

}  // namespace

const RuleSet& simple_casts() {
  static const RuleSet rules(
      "simple_casts",
      {
          {"noop-cast", "a cast to the dtype that is there already does nothing", "uop/symbolic.py:168",
           pat({Op::CAST, Op::BITCAST}).named(root),
           [](const Match& m) { return m[root].dtype() == m[root].src(0).dtype() ? m[root].src(0) : UOp{}; }},
          {"bitcast-constant", "the bits of a constant are read as the other dtype", "uop/symbolic.py:169",
           pat(Op::BITCAST, {cvar(c)}).named(root), fold_bitcast},
          {"cast-there-and-back", "a cast to a wider dtype and back does nothing", "uop/symbolic.py:171", nested_cast(),
           [](const Match& m) {
             const DType inner = m[x].dtype();
             return inner == m[b].dtype() && can_lossless_cast(inner, m[a].dtype()) ? m[x] : UOp{};
           }},
          {"merge-bitcasts", "of two bitcasts in a row the last one counts", "uop/symbolic.py:173",
           pat(Op::BITCAST, {var(x).bitcast()}).named(b), [](const Match& m) { return m[x].bitcast(m[b].dtype()); }},
          {"cast-to-bool", "x as a bool is x != 0", "uop/symbolic.py:174", var(x).cast(DType::bool_),
           [](const Match& m) { return m[x].ne(Scalar(0)); }},
      });
  return rules;
}

const RuleSet& packed_words() {
  static const Pat shifted = var(std::nullopt, DType::uint64) << Scalar(32);
  static const Pat high = var(x, DType::uint32).cast(DType::uint64) << Scalar(32);
  static const RuleSet rules("packed_words",
                             {
                                 {"low-word", "the low word of two packed into a uint64", "uop/symbolic.py:180",
                                  (shifted | var(y, DType::uint32).cast(DType::uint64)).cast(DType::uint32),
                                  [](const Match& m) { return m[y]; }},
                                 {"high-word", "the high word of two packed into a uint64", "uop/symbolic.py:181",
                                  (high | var(std::nullopt, DType::uint32).cast(DType::uint64)) >> Scalar(32),
                                  [](const Match& m) { return m[x].cast(DType::uint64); }},
                             });
  return rules;
}

const RuleSet& nested_casts() {
  static const RuleSet rules(
      "nested_casts",
      {
          {"merge-widening-cast", "a cast after one that keeps every value is one cast", "uop/symbolic.py:294",
           nested_cast(),
           [](const Match& m) {
             return can_lossless_cast(m[x].dtype(), m[a].dtype()) ? m[x].cast(m[b].dtype()) : UOp{};
           }},
          {"merge-fitting-cast", "a cast of ints after one that every value fits is one cast", "uop/symbolic.py:295",
           var(x, dtypes::ints_and_weakint).cast(dtypes::ints_and_weakint).named(a).cast().named(b),
           [](const Match& m) { return fits(m[x], m[a].dtype()) ? m[x].cast(m[b].dtype()) : UOp{}; }},
          {"long-to-int", "long arithmetic whose values fit an int is int arithmetic", "uop/symbolic.py:298",
           pat(groups::Binary, {var(x, {{DType::int64, DType::weakint}}), var(y, {{DType::int64, DType::weakint}})})
               .named(u),
           long_to_int},
          {"cast-into-sum", "the cast of an index plus a constant casts the index", "uop/symbolic.py:302",
           (var(x, DType::weakint) + cvar(c)).cast(dtypes::sints).named(captures::cast),
           [](const Match& m) {
             return m[x].cast(m[captures::cast].dtype()) + m[captures::cast].const_like(m[c].val());
           }},
      });
  return rules;
}

}  // namespace rangescope::symbolic::families
