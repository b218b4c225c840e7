#include "engine/codegen/decompositions.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "engine/codegen/control_flow.h"
#include "engine/codegen/fast_division.h"
#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/symbolic/symbolic.h"
#include "engine/symbolic/transcendental.h"
#include "engine/symbolic/weak.h"

namespace rangescope::codegen {

namespace {

// y where v is 2**y and 0 < y < 64, a float counting by its value; 1 is no such power, as nothing is gained.
std::optional<int64_t> shift_for(const Scalar& v) {
  if (v.is_int() && v.as_int() != Int::pow2(std::max(v.as_int().bit_length() - 1, 0))) return std::nullopt;
  for (int64_t y = 1; y < 64; ++y)
    if (python_equal(v, Scalar(Int::pow2(y)))) return y;
  return std::nullopt;
}
bool is_power_of_two(const Scalar& v) {
  return shift_for(v).has_value() || python_equal(v, Scalar(1));
}

bool same_sign(UOp a, UOp b) {
  const Scalar zero(0);
  const auto at_least = [&](const Scalar& x) { return !python_less(x, zero); };
  const auto at_most = [&](const Scalar& x) { return !python_less(zero, x); };
  return (at_least(a.vmin()) && python_less(zero, b.vmin())) || (at_most(a.vmax()) && python_less(b.vmax(), zero));
}

UOp floor_division(const Match& m) {
  const UOp x = m[captures::a], y = m[captures::b];
  const UOp div = x.alu(Op::CDIV, y);
  if (same_sign(x, y)) return div;
  return div - (x.alu(Op::CMOD, y).ne(Scalar(0)) & lt(x, Scalar(0)).ne(lt(y, Scalar(0))));
}

UOp floor_modulo(const Match& m) {
  const UOp x = m[captures::a], y = m[captures::b];
  const UOp r = x.alu(Op::CMOD, y);
  if (same_sign(x, y)) return r;
  return r + (r.ne(Scalar(0)) & lt(x, Scalar(0)).ne(lt(y, Scalar(0)))).where(y, y.const_like(Scalar(0)));
}

UOp threefry2x32(const Match& m) {
  const UOp x = m[captures::x], key = m[captures::key];
  const auto low = [](UOp u) { return u.cast(DType::uint32); };
  const auto high = [](UOp u) { return (u >> Scalar(32)).cast(DType::uint32); };
  const UOp x0 = low(x), x1 = high(x), key0 = low(key), key1 = high(key);
  constexpr std::array<std::array<int, 4>, 2> kRotations{{{13, 15, 26, 6}, {17, 29, 16, 24}}};
  const std::array<UOp, 3> ks{key1, key0 ^ key1 ^ m.store().constant(0x1BD11BDA), key0};
  UOp a = x0 + ks[2], b = x1 + ks[0];
  for (size_t i = 0; i < 5; ++i) {
    for (const int r : kRotations.at(i % 2)) {
      a = a + b;
      b = a ^ ((b << Scalar(r)) + (b >> Scalar(32 - r)));
    }
    a = a + ks.at(i % 3);
    b = b + ks.at((i + 1) % 3) + Scalar(static_cast<int64_t>(i)) + Scalar(1);
  }
  return (b.cast(DType::uint64) << Scalar(32)) | a.cast(DType::uint64);
}

UOp signed_division_by_shift(const Match& m) {
  const std::optional<int64_t> v = shift_for(m[captures::c].val());
  if (!v) return {};
  const UOp x = m[captures::x];
  UOp negative = lt(x, Scalar(0));
  if (python_equal(negative.vmin(), negative.vmax())) negative = negative.const_like(negative.vmin());
  return (x + negative.where(m[captures::c] - Scalar(1), Scalar(0))) >> Scalar(*v);
}

bool never_negative(UOp x) {
  return !python_less(x.vmin(), Scalar(0)) || dtypes::uints.contains(x.dtype());
}

using captures::a;
using captures::b;
using captures::c;
using captures::c1;
using captures::c2;
using captures::d;
using captures::key;
using captures::n;
using captures::x;
using captures::y;

std::vector<Rule> simplifying_rules(OpSet ops) {
  std::vector<Rule> r;
  if (ops.contains(Op::SHR))
    r.push_back({"floordiv-to-shift", "floor division by a power of two is an arithmetic shift",
                 "codegen/decomp/op.py:80", floordiv(var(x, dtypes::ints), cvar(c)), [](const Match& m) {
                   const std::optional<int64_t> v = shift_for(m[c].val());
                   return v ? m[x] >> Scalar(*v) : UOp{};
                 }});
  r.push_back({"floordiv-to-cdiv", "floor division by division that rounds to zero, corrected where signs differ",
               "codegen/decomp/op.py:82", floordiv(var(a), var(b)), floor_division});
  if (ops.contains(Op::AND))
    r.push_back({"floormod-to-and", "the remainder by a power of two is its low bits", "codegen/decomp/op.py:84",
                 var(x, dtypes::ints) % cvar(c), [](const Match& m) {
                   return is_power_of_two(m[c].val()) ? m[x] & m[x].ufix(m[c].val().to_int() - Int(1)) : UOp{};
                 }});
  r.push_back({"floormod-to-cmod", "the remainder of rounding to zero, corrected where signs differ",
               "codegen/decomp/op.py:85", var(a) % var(b), floor_modulo});
  if (!ops.contains(Op::THREEFRY))
    r.push_back({"threefry", "random bits: twenty rounds of adding, rotating and mixing", "codegen/decomp/op.py:87",
                 pat(Op::THREEFRY, {var(x), var(key)}).with_dtype(DType::uint64), threefry2x32});
  if (!ops.contains(Op::MAX) && ops.contains(Op::CMPLT))
    r.push_back({"max-to-where", "the larger one is chosen by a comparison", "codegen/decomp/op.py:89",
                 pat(Op::MAX).named(captures::m), [](const Match& m) {
                   const UOp u = m.root();
                   return lt(u.src(0), u.src(1)).where(u.src(1), u.src(0));
                 }});
  return r;
}

void comparison_rules(std::vector<Rule>& r) {
  const Pat sx = var(x, dtypes::sints), sy = var(y, dtypes::sints);
  r.push_back({"not-less-than-constant", "not x < c is c-1 < x", "codegen/decomp/op.py:121",
               (sx < cvar(c)).logical_not(), [](const Match& m) { return lt(m[c] - Scalar(1), m[x]); }});
  r.push_back({"not-greater-than-constant", "not c < x is x < c+1", "codegen/decomp/op.py:122",
               (cvar(c) < sx).logical_not(), [](const Match& m) { return lt(m[x], m[c] + Scalar(1)); }});
  r.push_back({"negated-less-than-product", "-x < y*c is y*-c < x", "codegen/decomp/op.py:123",
               sx * Scalar(-1) < sy * cvar(c), [](const Match& m) { return lt(m[y] * -m[c], m[x]); }});
  r.push_back({"negated-less-than-constant", "-x < c is -c < x", "codegen/decomp/op.py:124", sx * Scalar(-1) < cvar(c),
               [](const Match& m) { return lt(-m[c], m[x]); }});
  r.push_back({"between-neighbours", "c-1 < x and x < c+1 is x == c", "codegen/decomp/op.py:125",
               (cvar(c1) < sx) & (sx < cvar(c2)), [](const Match& m) {
                 const bool one = m[c1].val().to_int() + Int(1) == m[c2].val().to_int() - Int(1);
                 return one ? m[x].eq(m[c1] + Scalar(1)) : UOp{};
               }});
}

void division_rules(std::vector<Rule>& r, bool disable_fast_idiv) {
  const Pat by_constant = pat(Op::CDIV, {var(x, dtypes::ints), cvar(c)});
  r.push_back({"unsigned-division-to-shift", "unsigned division by a power of two is a shift",
               "codegen/decomp/op.py:101", pat(Op::CDIV, {var(x, dtypes::uints), cvar(c)}), [](const Match& m) {
                 const std::optional<int64_t> v = shift_for(m[c].val());
                 return v ? m[x] >> Scalar(*v) : UOp{};
               }});
  r.push_back({"signed-division-to-shift", "division by a power of two is a shift, rounded towards zero",
               "codegen/decomp/op.py:104", by_constant, signed_division_by_shift});
  if (disable_fast_idiv) return;
  r.push_back({"division-by-multiplication", "division by a constant is a multiplication and a shift",
               "codegen/decomp/op.py:109", pat(Op::CDIV, {var(x, dtypes::ints), cvar(d)}), [](const Match& m) {
                 return never_negative(m[x]) ? fast_division(m.context<const Target>(), m[x], m[d].val().to_int())
                                             : UOp{};
               }});
  r.push_back({"modulo-by-division", "a remainder is what division leaves", "codegen/decomp/op.py:113",
               pat(Op::CMOD, {var(x, dtypes::ints), var(d)}),
               [](const Match& m) { return never_negative(m[x]) ? m[x] - m[d] * m[x].alu(Op::CDIV, m[d]) : UOp{}; }});
}

std::vector<Rule> late_rules(OpSet ops, bool disable_fast_idiv) {
  std::vector<Rule> r;
  if (ops.contains(Op::OR))
    r.push_back({"and-of-nots", "not x and not y is not (x or y)", "codegen/decomp/op.py:95",
                 var(x, DType::bool_).logical_not() & var(y, DType::bool_).logical_not(),
                 [](const Match& m) { return (m[x] | m[y]).logical_not(); }});
  if (ops.contains(Op::SHL))
    r.push_back({"multiplication-to-shift", "multiplication by a power of two is a shift", "codegen/decomp/op.py:98",
                 var(x, dtypes::ints) * cvar(c), [](const Match& m) {
                   const std::optional<int64_t> v = shift_for(m[c].val());
                   return v ? m[x] << Scalar(*v) : UOp{};
                 }});
  if (ops.contains(Op::SHR)) division_rules(r, disable_fast_idiv);
  if (ops.contains(Op::NEG)) {
    r.push_back({"times-minus-one-to-neg", "x * -1 is -x", "codegen/decomp/op.py:116", var(x) * Scalar(-1),
                 [](const Match& m) { return m[x].alu(Op::NEG); }});
    if (ops.contains(Op::SUB))
      r.push_back({"add-negated-to-sub", "x + -y is x - y", "codegen/decomp/op.py:117",
                   var(x) + var(y).alu(Op::NEG, {}), [](const Match& m) { return m[x].alu(Op::SUB, m[y]); }});
  }
  if (ops.contains(Op::CMPLT)) comparison_rules(r);
  if (ops.contains(Op::CMPEQ))
    r.push_back({"not-unequal-to-equal", "not x != y is x == y", "codegen/decomp/op.py:128",
                 var(x).ne(var(y)).logical_not(), [](const Match& m) { return m[x].alu(Op::CMPEQ, m[y]); }});
  if (ops.contains(Op::MULACC)) {
    r.push_back({"fuse-multiply-add", "a*b + c in one op", "codegen/decomp/op.py:130", var(a) * var(b) + var(c),
                 [](const Match& m) {
                   return m[a].alu(Op::MULACC, {m[b], m[c]});
                 }});
    if (ops.contains(Op::SHL))
      r.push_back({"fuse-shift-add", "(x << n) + c as a multiplication and sum in one op", "codegen/decomp/op.py:132",
                   var(x).alu(Op::SHL, {cvar(n)}) + var(c), [](const Match& m) {
                     const Int factor = Int(1) << m[n].val().to_int();
                     return m[x].alu(Op::MULACC, {m[x].const_like(Scalar(factor)), m[c]});
                   }});
  }
  if (ops.contains(Op::FDIV)) {
    r.push_back({"reciprocal-to-fdiv", "1/x is a division", "codegen/decomp/op.py:135", var(x).reciprocal(),
                 [](const Match& m) { return m.store().constant(Scalar(1.0)).alu(Op::FDIV, m[x]); }});
    r.push_back({"times-reciprocal-to-fdiv", "a * (1/b) is a/b", "codegen/decomp/op.py:136",
                 var(a) * pat(Op::FDIV, {cnst(Scalar(1)), var(b)}).with_dtype(dtypes::floats),
                 [](const Match& m) { return m[a].alu(Op::FDIV, m[b]); }});
  }
  return r;
}

// One rule set a key, made once: stores are one thread's, these sets are everyone's.
template <class Key>
class SetCache {
 public:
  template <class Make>
  const RuleSet& get(const Key& key, Make make) {
    const std::lock_guard guard(lock_);
    std::unique_ptr<const RuleSet>& set = made_[key];
    if (!set) set = make();
    return *set;
  }

 private:
  std::mutex lock_;
  std::map<Key, std::unique_ptr<const RuleSet>> made_;
};

std::vector<Op> list_of(OpSet ops) {
  return {ops.begin(), ops.end()};
}

std::unique_ptr<const RuleSet> joined(std::string_view name, std::initializer_list<const RuleSet*> parts) {
  return std::make_unique<const RuleSet>(name, parts);
}

}  // namespace

const RuleSet& simplifying_decompositions(OpSet ops) {
  static SetCache<std::vector<Op>> cache;
  return cache.get(list_of(ops), [&] {
    return std::make_unique<const RuleSet>("simplifying decompositions", simplifying_rules(ops));
  });
}

const RuleSet& late_decompositions(OpSet ops, bool disable_fast_idiv) {
  static SetCache<std::pair<std::vector<Op>, bool>> cache;
  return cache.get({list_of(ops), disable_fast_idiv}, [&] {
    return std::make_unique<const RuleSet>("late decompositions", late_rules(ops, disable_fast_idiv));
  });
}

Decompositions decompositions(const Target& target, const Settings& settings) {
  using Key = std::tuple<std::vector<Op>, bool, bool>;
  static SetCache<Key> early, late, final;
  const bool force = settings.transcendental >= 2;
  const Key key{list_of(target.ops), settings.disable_fast_idiv, force};
  Decompositions r;
  r.early = &early.get(key, [&] {
    return joined("early decompositions", {&symbolic::symbolic_simple(), &simplifying_decompositions(target.ops)});
  });
  r.late = &late.get(key, [&] {
    return joined("late decompositions", {r.early, &late_decompositions(target.ops, settings.disable_fast_idiv),
                                          &symbolic::transcendental_rules(target.ops, force)});
  });
  r.final = &final.get(key, [&] {
    return joined("final rewrite", {&symbolic::pm_commit_weak(), &symbolic::pm_cast_weak(), r.late, &pm_split_ends(),
                                    &symbolic::pm_remove_invalid()});
  });
  return r;
}

}  // namespace rangescope::codegen
