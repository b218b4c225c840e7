#include "engine/codegen/long_decomposition.h"

#include <fmt/format.h>

#include "engine/ir/error.h"
#include "engine/ir/scalar_bits.h"
#include "engine/ir/store.h"
#include "engine/rewrite/driver.h"

namespace rangescope::codegen {

namespace {

constexpr DTypeSet kLongs{DType::int64, DType::uint64};
constexpr DType kWord = DType::uint32;

DType word_of(DType d) {
  return d == DType::int64 ? DType::int32 : DType::uint32;
}
UOp word(UOp u) {
  return u.bitcast(kWord);
}
UOp shl(UOp x, int64_t n) {
  return x * Scalar(Int::pow2(n));
}
UOp shr(UOp x, int64_t n) {
  return floordiv(x, Scalar(Int::pow2(n)));
}
UOp shift_left(UOp x, UOp n) {
  return binop(Op::SHL, x, n);
}
UOp shift_right(UOp x, UOp n) {
  return binop(Op::SHR, x, n);
}
UOp mask(UOp x, int64_t m) {
  return x & x.ufix(Scalar(m));
}

UOps from_number(DType dt, UOp x) {
  const DType d = word_of(dt);
  const UOp lo = x.cast(d);
  if (!dtypes::floats.contains(x.dtype())) {
    // the high word is the sign; what has none is extended by zeros
    if (x.dtype() == DType::bool_ || dtypes::uints.contains(x.dtype())) return {lo, lo.const_like(Scalar(0))};
    return {lo, lt(x, x.const_like(Scalar(0))).where(lo.const_like(Scalar(-1)), lo.const_like(Scalar(0)))};
  }
  return {lo, x.div(x.ufix(Scalar(Int::pow2(32)))).cast(d) - (lt(x, Scalar(0)) & lo.ne(Scalar(0)))};
}

UOp to_float(DType dt, UOp a0, UOp a1) {
  const UOp small = (a1.eq(Scalar(0)) & ge(a0, Scalar(0))) | (a1.eq(Scalar(-1)) & lt(a0, Scalar(0)));
  const DType wide = dt == DType::float64 ? DType::float64 : DType::float32;
  return small.where(a0.cast(dt), ((a1.cast(wide) * Scalar(Int::pow2(32))) + word(a0).cast(wide)).cast(dt));
}

UOps shift(Op op, DType dt, UOp a0, UOp a1, UOp b0) {
  const UOp zero = a0.store().constant(Scalar(0), dt), low = word(a0), high = word(a1);
  const UOp n = mask(b0, 31).cast(kWord), rest = Scalar(31) - n, far = ge(b0, Scalar(32));
  if (op == Op::SHL) {
    const UOp lo = shift_left(low, n).bitcast(dt);
    const UOp hi = (shift_left(high, n) | shift_right(low >> Scalar(1), rest)).bitcast(dt);
    return {far.where(zero, lo), far.where(lo, hi)};
  }
  const UOp lo = (shift_right(low, n) | shift_left(high << Scalar(1), rest)).bitcast(dt);
  const UOp hi = shift_right(a1, mask(b0, 31));
  const UOp fill = dt == DType::int32 ? a1 >> Scalar(31) : zero;
  return {far.where(hi, lo), far.where(fill, hi)};
}

UOps product(DType dt, UOp a0, UOp a1, UOp b0, UOp b1) {
  const UOp a00 = mask(word(a0), 0xFFFF), a01 = shr(word(a0), 16), b00 = mask(word(b0), 0xFFFF),
            b01 = shr(word(b0), 16);
  const UOps mid = words_of(Op::ADD, dt,
                            {shl(a00 * b01, 16).bitcast(dt), shr(a00 * b01, 16).bitcast(dt),
                             shl(a01 * b00, 16).bitcast(dt), shr(a01 * b00, 16).bitcast(dt)});
  return words_of(Op::ADD, dt, {mid[0], mid[1], (a00 * b00).bitcast(dt), (a01 * b01).bitcast(dt) + a0 * b1 + a1 * b0});
}

// One bit of the quotient at a time.
UOps divide(Op op, DType dt, UOps x) {
  Store& store = x[0].store();
  UOp a_negative, b_negative;
  if (dt == DType::int32) {
    const UOp zero = store.constant(Scalar(0), dt);
    const UOps u{word(x[0]), word(x[1]), word(x[2]), word(x[3])};
    a_negative = lt(x[1], zero);
    const UOps na = words_of(Op::NEG, kWord, {u[0], u[1]});
    const UOp a0 = a_negative.where(na[0], u[0]), a1 = a_negative.where(na[1], u[1]);
    b_negative = lt(x[3], zero);
    const UOps nb = words_of(Op::NEG, kWord, {u[2], u[3]});
    x = {a0, a1, b_negative.where(nb[0], u[2]), b_negative.where(nb[1], u[3])};
  }
  const UOp zero = store.constant(Scalar(0), kWord);
  UOps q{zero, zero}, r{zero, zero};
  for (int64_t i = 63; i >= 0; --i) {
    r = words_of(Op::SHL, kWord, {r[0], r[1], store.constant(Scalar(1), kWord), zero});
    const UOps bit = words_of(Op::SHR, kWord, {x[0], x[1], store.constant(Scalar(i), kWord), zero});
    r[0] = r[0] | mask(bit[0], 1);
    const UOp fits = words_of(Op::CMPLT, kWord, {r[0], r[1], x[2], x[3]})[0].logical_not();
    const UOps rest = words_of(Op::SUB, kWord, {r[0], r[1], x[2], x[3]});
    UOp& half = q[i < 32 ? 0 : 1];
    half = half | shl(fits.cast(kWord), i % 32);
    r = words_of(Op::WHERE, kWord, {fits, rest[0], rest[1], r[0], r[1]});
  }
  if (dt != DType::int32) return op == Op::CMOD ? r : q;
  const UOps& value = op == Op::CMOD ? r : q;
  const UOp negative = op == Op::CMOD ? a_negative : a_negative ^ b_negative;
  const UOps minus = words_of(Op::BITCAST, dt, words_of(Op::NEG, kWord, value));
  const UOps plus = words_of(Op::BITCAST, dt, value);
  return {negative.where(minus[0], plus[0]), negative.where(minus[1], plus[1])};
}

}  // namespace

UOps words_of(Op op, DType dt, const UOps& x) {
  const auto need = [&](size_t n) {
    if (x.size() < n) throw GraphError(fmt::format("{} of 64-bit integers has too few words", op_name(op)));
  };
  need(1);
  Store& store = x[0].store();
  const UOp zero =
      store.constant(Scalar(0), dtypes::ints.contains(dt) || dtypes::floats.contains(dt) ? dt : DType::int32);
  if (op == Op::CAST && kLongs.contains(dt)) return from_number(dt, x[0]);
  need(2);
  const UOp a0 = x[0], a1 = x[1];
  switch (op) {
    case Op::NEG:
      return words_of(Op::SUB, dt, {zero, zero, a0, a1});
    case Op::CAST:
      if (dtypes::floats.contains(dt)) return {to_float(dt, a0, a1)};
      return {word(a0).cast(dt)};
    case Op::BITCAST:
      return {a0.bitcast(dt), a1.bitcast(dt)};
    default:
      break;
  }
  need(3);
  if (op == Op::SHL || op == Op::SHR) return shift(op, dt, a0, a1, x[2]);
  need(4);
  const UOp b0 = x[2], b1 = x[3];
  switch (op) {
    case Op::ADD: {
      const UOp low = a0 + b0;
      return {low, a1 + b1 + lt(word(low), word(a0))};
    }
    case Op::SUB:
      return {a0 - b0, a1 - b1 - lt(word(a0), word(b0))};
    case Op::MUL:
      return product(dt, a0, a1, b0, b1);
    case Op::CDIV:
    case Op::CMOD:
      return divide(op, dt, x);
    case Op::CMPLT:
      return {lt(a1, b1) | (a1.eq(b1) & lt(word(a0), word(b0)))};
    case Op::CMPEQ:
      return {a0.eq(b0) & a1.eq(b1)};
    case Op::CMPNE:
      return {a0.ne(b0) | a1.ne(b1)};
    case Op::XOR:
    case Op::OR:
    case Op::AND:
      return {store.make(op, {a0, b0}), store.make(op, {a1, b1})};
    case Op::WHERE:
      need(5);
      return {x[0].where(x[1], x[3]), x[0].where(x[2], x[4])};
    case Op::MAX: {
      const UOp less = words_of(Op::CMPLT, dt, x)[0];
      return words_of(Op::WHERE, dt, {less, b0, b1, a0, a1});
    }
    default:
      throw GraphError(fmt::format("{} of 64-bit integers has no form in 32 bits", op_name(op)));
  }
}

namespace {

Arg word_tag(int64_t which, DType dt) {
  return Arg(Arg::Tuple{Arg(which), Arg(dt)});
}
UOp low(UOp u, DType dt) {
  return u.with_tag(word_tag(0, dt));
}
UOp high(UOp u, DType dt) {
  return u.with_tag(word_tag(1, dt));
}
// Which word of its value a node becomes; none: it was not asked for one.
std::optional<size_t> wanted_word(UOp u) {
  const auto* t = u.tag().get_if<Arg::Tuple>();
  return t == nullptr ? std::nullopt : std::optional(static_cast<size_t>(t->at(0).as_int64()));
}

const UOps& split(const Match& m, Op op, DType dt, const UOps& operands) {
  auto& done = m.context<LongDecomp>();
  std::vector<uint32_t> key{static_cast<uint32_t>(op), static_cast<uint32_t>(dt)};
  for (const UOp u : operands) key.push_back(u.id());
  if (const auto it = done.find(key); it != done.end()) return it->second;
  const UOp words = graph_rewrite(m.store().sink(operands), pm_long_decomp(), {.context = &done, .bottom_up = true});
  return done[key] = words_of(op, dt, UOps(words.srcs().begin(), words.srcs().end()));
}

UOps both_words(std::span<const UOp> srcs, DType dt) {
  UOps r;
  for (const UOp s : srcs) {
    r.push_back(low(s, dt));
    r.push_back(high(s, dt));
  }
  return r;
}

UOp index_word(UOp idx, size_t which) {
  if (!idx.is(Op::INDEX)) throw GraphError("64-bit integers are loaded one by one");
  UOps srcs(idx.srcs().begin(), idx.srcs().end());
  srcs.at(1) = srcs.at(1) * Scalar(2) + Scalar(static_cast<int64_t>(which));
  return idx.with_srcs(srcs).with_tag(Arg());
}

UOp split_storage(const Match& m) {
  const UOp x = m[captures::x];
  if (!kLongs.contains(x.dtype())) return {};
  ParamArg p = x.arg().as<ParamArg>();
  p.dtype = word_of(x.dtype());
  return m.store().make(x.op(), {x.src(0) * Scalar(2)}, Arg(std::move(p)), x.tag());
}

UOp split_store(const Match& m) {
  const UOp st = m[captures::st], idx = m[captures::idx], val = m[captures::val];
  if (!val.tag().is_none()) return {};
  const DType dt = word_of(idx.dtype());
  const UOps both{st.with_srcs({low(idx, dt), low(val, dt)}), st.with_srcs({high(idx, dt), high(val, dt)})};
  return m.store().group(both);
}

// The wanted word of an op on 64-bit integers.
template <class Operands>
UOp split_op(const Match& m, Operands operands) {
  const UOp x = m[captures::x];
  const std::optional<size_t> which = wanted_word(x);
  if (!which) return {};
  const DType dt = word_of(x.dtype());
  return split(m, x.op(), dt, operands(x, dt)).at(*which);
}

UOp split_load(const Match& m) {
  const std::optional<size_t> which = wanted_word(m[captures::x]);
  if (!which) return {};
  const UOp idx =
      graph_rewrite(m[captures::idx], pm_long_decomp(), {.context = &m.context<LongDecomp>(), .bottom_up = true});
  return index_word(idx, *which).load();
}

UOp split_constant(const Match& m) {
  const UOp x = m[captures::x];
  const Arg::Tuple& tag = x.tag().as_tuple();
  const DType dt = tag.at(1).as<DType>();
  const Int v = x.val().to_int();
  const Int part = tag.at(0).as_int64() == 1 ? v >> Int(32) : v & Int(0xFFFFFFFFLL);
  return m.store().constant(truncate(dt, Scalar(part)), dt);
}

}  // namespace

const RuleSet& pm_long_decomp() {
  using namespace captures;
  static const RuleSet rules(
      "pm_long_decomp",
      {
          {"split-long-storage", "a buffer of 64-bit integers holds twice as many words", "codegen/decomp/dtype.py:140",
           pat(groups::Defines, {var(n)}).named(x), split_storage},
          {"index-long-word", "an index reaches the wanted word", "codegen/decomp/dtype.py:142",
           pat(Op::INDEX).with_dtype(kLongs).named(x),
           [](const Match& m) {
             const std::optional<size_t> which = wanted_word(m[x]);
             return which ? index_word(m[x], *which) : UOp{};
           }},
          {"split-long-store", "both words are stored", "codegen/decomp/dtype.py:144",
           pat(Op::STORE, {var(idx, kLongs), var(val)}).named(st), split_store},
          {"compare-longs", "a comparison looks at both words", "codegen/decomp/dtype.py:147",
           pat_permuted(groups::Comparison, {var(a, kLongs), var()}).named(x),
           [](const Match& m) {
             const DType dt = word_of(m[a].dtype());
             return split(m, m[x].op(), dt, both_words(m[x].srcs(), dt)).at(0);
           }},
          {"long-to-long", "a cast between 64-bit integers takes the words as they are", "codegen/decomp/dtype.py:149",
           pat(Op::CAST, {var(a, kLongs)}).with_dtype(kLongs).named(x),
           [](const Match& m) {
             const std::optional<size_t> which = wanted_word(m[x]);
             if (!which) throw GraphError("a cast of 64-bit integers that no one takes a word of");
             const DType from = word_of(m[a].dtype());
             return split(m, Op::BITCAST, word_of(m[x].dtype()), {low(m[a], from), high(m[a], from)}).at(*which);
           }},
          {"number-to-long", "a number becomes a low word and its sign or carry", "codegen/decomp/dtype.py:151",
           pat(Op::CAST, {var(a)}).with_dtype(kLongs).named(x),
           [](const Match& m) {
             const std::optional<size_t> which = wanted_word(m[x]);
             return which ? split(m, Op::CAST, m[x].dtype(), {m[a]}).at(*which) : UOp{};
           }},
          {"long-to-number", "a 64-bit integer becomes another number", "codegen/decomp/dtype.py:153",
           pat(Op::CAST, {var(a, kLongs)}).named(x),
           [](const Match& m) {
             if (kLongs.contains(m[x].dtype()) || !m[a].tag().is_none()) return UOp{};
             const DType dt = word_of(m[a].dtype());
             return split(m, Op::CAST, m[x].dtype(), {low(m[a], dt), high(m[a], dt)}).at(0);
           }},
          {"shift-long", "a shift moves bits from word to word", "codegen/decomp/dtype.py:155",
           pat({Op::SHL, Op::SHR}, {var(a), var(b)}).with_dtype(kLongs).named(x),
           [](const Match& m) {
             return split_op(m, [&](UOp u, DType dt) {
               return UOps{low(u.src(0), dt), high(u.src(0), dt), low(u.src(1), dt)};
             });
           }},
          {"where-long", "a choice between 64-bit integers is one between words", "codegen/decomp/dtype.py:157",
           pat(Op::WHERE, {var(c), var(a), var(b)}).with_dtype(kLongs).named(x),
           [](const Match& m) {
             return split_op(m, [&](UOp u, DType dt) {
               UOps r = both_words(u.srcs().subspan(1), dt);
               r.insert(r.begin(), u.src(0));
               return r;
             });
           }},
          {"long-arithmetic", "arithmetic on 64-bit integers is arithmetic on words", "codegen/decomp/dtype.py:160",
           pat((groups::ALU - groups::Comparison - OpSet{Op::SHL, Op::SHR, Op::WHERE}) | OpSet{Op::BITCAST})
               .with_dtype(kLongs)
               .named(x),
           [](const Match& m) { return split_op(m, [](UOp u, DType dt) { return both_words(u.srcs(), dt); }); }},
          {"load-long-word", "the wanted word is loaded", "codegen/decomp/dtype.py:163",
           pat(Op::LOAD, {var(idx)}).with_dtype(kLongs).named(x), split_load},
          {"long-constant", "the wanted word of a constant", "codegen/decomp/dtype.py:165",
           pat(Op::CONST)
               .tagged({word_tag(1, DType::uint32), word_tag(0, DType::int32), word_tag(1, DType::int32),
                        word_tag(0, DType::uint32)})
               .named(x),
           split_constant},
      });
  return rules;
}

}  // namespace rangescope::codegen
