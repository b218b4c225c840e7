// Floor division and modulo of index expressions (reference: uop/divandmod.py).

#include "engine/symbolic/div_mod.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "engine/ir/error.h"
#include "engine/ir/factor.h"
#include "engine/ir/store.h"
#include "engine/symbolic/int_set.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

namespace {

// The answers of fold_divmod_general, by node: a null one is an answer too.
struct FoldCache {
  std::unordered_map<uint32_t, UOp> answers;  // looked up, never iterated
};

Int lowest(UOp u) {
  return u.vmin().as_int();
}
Int highest(UOp u) {
  return u.vmax().as_int();
}

// The truth of a condition that has to be decided.
bool is_true(UOp condition) {
  const Bounds& b = condition.simplify().bounds();
  if (!python_equal(b.min, b.max)) throw GraphError("a condition on a divisor is not decided: " + condition.render());
  return b.min.truthy();
}

UOp require(UOp u) {
  if (!u) throw GraphError("a division that must be exact is not");
  return u;
}

UOp sum(const UOps& terms) {
  return terms[0].usum(std::span(terms).subspan(1));
}
// As Python's sum(): it starts at 0, and the 0 stays in the expression.
UOp sum_from_zero(Store& store, const UOps& terms) {
  UOp total = store.constant(0);
  for (const UOp t : terms) total = total + t;
  return total;
}

// One division under work: x op y, and x as sum of terms[i] * factors[i] + constant.
struct Division {
  UOp d, x, y;
  Int c{};  // y where it is a positive constant
  UOp peeled{};
  Int constant{};
  UOps summands{};
  UOps terms{};
  std::vector<Int> factors{};

  bool is_mod() const { return d.is(Op::FLOORMOD); }
};

// (a % (k*c) + b) % c is (a + b) % c
UOp remove_nested_mod(const Division& v) {
  UOps bare;
  bool changed = false;
  for (const UOp u : v.summands) {
    const bool nested = u.is(Op::FLOORMOD) && u.src(1).divides(v.c);
    bare.push_back(nested ? u.src(0) : u);
    changed = changed || nested;
  }
  return changed ? (sum(bare) + Scalar(v.constant)) % v.y : UOp{};
}

// The remainders that stand for a factor: usually the one of least size, both where the choice matters.
std::vector<std::vector<Int>> remainder_choices(const Division& v) {
  std::vector<std::vector<Int>> choices;
  for (const Int f : v.factors) {
    const Int r = floormod(f, v.c);
    const Int below = r - v.c;
    if (r * Int(2) == v.c || v.terms.size() == 1)
      choices.push_back({r, below});
    else
      choices.push_back({abs(r) <= abs(below) ? r : below});
  }
  return choices;
}

// The next combination, the last choice turning fastest.
bool advance(std::vector<size_t>& at, const std::vector<std::vector<Int>>& choices) {
  for (size_t i = at.size(); i-- > 0;) {
    if (++at[i] < choices[i].size()) return true;
    at[i] = 0;
  }
  return false;
}

// Folds where x is congruent, modulo c, to an expression that stays within one period of c.
UOp fold_congruence(const Division& v) {
  const auto choices = remainder_choices(v);
  const Int rest = floormod(v.constant, v.c);
  std::vector<Bounds> bounds;
  for (const UOp t : v.terms) bounds.push_back(t.bounds());
  std::vector<size_t> at(choices.size(), 0);
  do {
    // the bounds first: most combinations do not fold, and their expression is never needed
    Int low = rest;
    Int high = rest;
    for (size_t i = 0; i < at.size(); ++i) {
      const Int a = choices[i][at[i]] * bounds[i].min.as_int();
      const Int b = choices[i][at[i]] * bounds[i].max.as_int();
      low += min(a, b);
      high += max(a, b);
    }
    const Int period = floordiv(low, v.c);
    if (period != floordiv(high, v.c)) continue;
    UOp total = v.x.store().constant(0);
    for (size_t i = 0; i < at.size(); ++i) {
      const Int r = choices[i][at[i]];
      const Int factor = v.is_mod() ? r : floordiv(v.factors[i] - r, v.c);
      total = total + binop(Op::MUL, Scalar(factor), v.terms[i]);
    }
    if (v.is_mod()) return total + Scalar(rest) - Scalar(period * v.c);
    return total + Scalar(floordiv(v.constant, v.c)) + Scalar(period);
  } while (advance(at, choices));
  return {};
}

// Takes the common divisor of all factors and c out of the numerator.
UOp fold_gcd_with_remainder(const Division& v) {
  Int g = v.c;
  for (const Int f : v.factors) g = gcd(g, f);
  if (g <= Int(1)) return {};
  const Int c = floordiv(v.c, g);
  const UOp x = require(v.peeled.divides(g)).simplify() + Scalar(floormod(floordiv(v.constant, g), c));
  if (lowest(x) < Int(0)) return {};
  if (v.is_mod()) return x % Scalar(c) * Scalar(g) + Scalar(floormod(v.constant, g));
  return floordiv(x, Scalar(c)) + Scalar(floordiv(v.constant, v.c));
}

// Folding a nested division folds a division by a smaller divisor: the depth is that of the divisor's factorisation.
// NOLINTBEGIN(misc-no-recursion)

// x // c is (x // f) // (c // f); x % c is (x // f % (c // f)) * f + x % f. The smallest result wins.
UOp nest_by_factor(const Division& v) {
  std::vector<Int> divisors;
  for (size_t i = 0; i < v.summands.size(); ++i) {
    const Int f = abs(v.factors[i]);
    if (!v.summands[i].is_const() && Int(1) < f && f < v.c && floormod(v.c, f).is_zero()) divisors.push_back(f);
  }
  UOp best;
  size_t best_size = 0;
  const auto offer = [&](UOp r, size_t size) {
    if (best && best_size <= size) return;
    best = r;
    best_size = size;
  };
  for (const Int div : python_set_order(divisors)) {
    const UOp quotient = fold_divmod_general(floordiv(v.x, Scalar(div)));
    if (!quotient) continue;
    const Int outer = floordiv(v.c, div);
    if (!v.is_mod()) {
      offer(floordiv(quotient, Scalar(outer)), quotient.backward_slice_size());
    } else if (lowest(v.x) >= Int(0) && lowest(quotient) >= Int(0)) {
      UOps parts;
      for (size_t i = 0; i < v.terms.size(); ++i) {
        const Int r = floormod(v.factors[i], div);
        if (!r.is_zero()) parts.push_back(binop(Op::MUL, Scalar(r), v.terms[i]));
      }
      const Int rest = floormod(v.constant, div);
      if (!rest.is_zero()) parts.push_back(v.x.const_like(Scalar(rest)));
      const UOp b = parts.empty() ? v.x.const_like(Scalar(0)) : sum(parts);
      if (lowest(b) < Int(0) || highest(b) >= div) continue;
      const UOp r = (quotient % v.x.ufix(Scalar(outer))) * Scalar(div) + b;
      offer(r, r.backward_slice_size());
    }
  }
  return best;
}

// The rules that need a constant denominator above 0.
UOp fold_constant_denominator(Division& v) {
  if (!v.is_mod() && v.x.is(Op::FLOORMOD)) {
    if (const UOp k = v.x.src(1).divides(v.c); k && is_true(gt(k, Scalar(0)))) return floordiv(v.x.src(0), v.y) % k;
  }
  if (v.is_mod())
    if (const UOp r = remove_nested_mod(v)) return r;
  for (const UOp u : v.summands) {
    const Int f = u.const_factor();
    v.factors.push_back(f);
    v.terms.push_back(require(u.divides(f)));
  }
  if (const UOp r = fold_congruence(v)) return r;
  if (const UOp r = fold_gcd_with_remainder(v)) return r;
  return nest_by_factor(v);
}

// (d*x + y) // d is x + y // d
UOp factor_remainder(const Division& v, const UOps& summands) {
  if (lowest(v.y) < Int(0) || lowest(v.x) < Int(0)) return {};
  UOps quotients;
  UOps rest;
  for (const UOp u : summands) {
    if (const UOp q = u.divide_exact(v.y)) {
      quotients.push_back(q);
      continue;
    }
    if (v.y.is_const()) {
      const Int c = u.const_factor();
      const Int y = v.y.val().as_int();
      if (floormod(c, y) != c) {
        const UOp base = require(u.divides(c));
        rest.push_back(base * Scalar(floormod(c, y)));
        quotients.push_back(v.is_mod() ? u.const_like(Scalar(0)) : base * Scalar(floordiv(c, y)));
        continue;
      }
    }
    rest.push_back(u);
  }
  if (quotients.empty()) return {};
  Store& store = v.x.store();
  const UOp x = sum_from_zero(store, rest) + v.x.const_like(Scalar(0));
  if (lowest(x) < Int(0)) return {};
  if (v.is_mod()) return x % v.y;
  return floordiv(x, v.y) + sum_from_zero(store, quotients);
}

UOp fold(UOp d) {
  Division v{d, d.src(0), d.src(1)};
  const UOp x = v.x;
  const UOp y = v.y;
  if (python_equal(y.vmin(), Scalar(0)) && python_equal(y.vmax(), Scalar(0)))
    throw GraphError(std::string(v.is_mod() ? "modulo" : "division") + " by zero: " + d.render(false));

  const UOp quotient = floordiv(x, y);
  if (python_equal(quotient.vmin(), quotient.vmax())) {
    const Scalar q = quotient.vmin();
    return v.is_mod() ? x - binop(Op::MUL, q, y) : quotient.const_like(q);
  }
  // a parameter that is known to be a multiple of y
  if (x.is(Op::PARAM) && y.is_const()) {
    const auto multiple = x.arg().as<ParamArg>().multiple_of;
    if (!multiple) throw GraphError("a parameter that is divided does not say what it is a multiple of");
    if (floormod(*multiple, y.val().as_int()).is_zero()) return v.is_mod() ? d.const_like(Scalar(0)) : UOp{};
  }

  const auto [peeled, constant] = x.pop_const();
  v.peeled = peeled;
  v.constant = constant.as_int();
  v.summands = peeled.split(Op::ADD);
  if (y.is_const() && y.val().as_int() > Int(0)) {
    v.c = y.val().as_int();
    if (const UOp r = fold_constant_denominator(v)) return r;
  }

  // What is left holds for any denominator: the constant counts as a term again.
  const UOps summands = x.split(Op::ADD);
  UOps all = summands;
  all.push_back(y);
  const UOp common = gcd(all).simplify();
  if (!common.is_const() || !python_equal(common.val(), Scalar(1))) {
    const UOp r = require(x.divide_exact(common)).alu(d.op(), require(y.divide_exact(common)));
    return v.is_mod() ? r * common : r;
  }
  return factor_remainder(v, summands);
}

}  // namespace

UOp fold_divmod_general(UOp d) {
  auto& answers = d.store().extension<FoldCache>().answers;
  if (const auto it = answers.find(d.id()); it != answers.end()) return it->second;
  const UOp answer = fold(d);
  answers.emplace(d.id(), answer);  // folding may have added others: look nothing up by the old iterator
  return answer;
}

// NOLINTEND(misc-no-recursion)

const RuleSet& div_and_mod_symbolic() {
  using namespace captures;
  static const RuleSet rules(
      "div_and_mod_symbolic",
      {
          {"floordiv-of-shifted-floordiv", "(x//c + a)//d is (x + a*c)//(c*d) where d is above 0",
           "uop/divandmod.py:101", floordiv(floordiv(var(x), cvar(c)) + cvar(a), cvar(d)),
           [](const Match& m) {
             return python_less(Scalar(0), m[d].vmin()) ? floordiv(m[x] + m[a] * m[c], m[c] * m[d]) : UOp{};
           }},
          {"divmod-of-shifted-by-multiple",
           "a multiple of the divisor leaves the constant that is added to the numerator", "uop/divandmod.py:103",
           pat({Op::FLOORDIV, Op::FLOORMOD}, {var(x, DType::weakint) + cvar(c), cvar(d)}).named(n),
           [](const Match& m) -> UOp {
             const Int divisor = m[d].val().as_int();
             if (divisor.is_zero()) return {};
             const Int constant = m[c].val().as_int();
             const Int rest = floormod(constant, divisor);
             if (rest == constant) return {};
             const UOp moved = m[x] + Scalar(rest);
             if (m[n].is(Op::FLOORMOD)) return moved % m[d];
             return floordiv(moved, m[d]) + Scalar(floordiv(constant, divisor));
           }},
          {"fold-divmod", "folds an index division or modulo by congruence, common factors or nested divisors",
           "uop/divandmod.py:108", pat({Op::FLOORDIV, Op::FLOORMOD}).with_dtype(DType::weakint).named(d),
           [](const Match& m) { return fold_divmod_general(m[d]); }},
      });
  return rules;
}

}  // namespace rangescope::symbolic
