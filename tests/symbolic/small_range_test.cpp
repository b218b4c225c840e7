// The integer rules of the simplifier, proved on small ranges: whatever a rule makes of an expression has its value for
// every value of the variables within their bounds, and every rule is seen at work. Dividing by 0 has no value.
// Expressions are random but the same in every run; the rules' own cases (rule_cases.jsonl.gz) hold those that random
// ones do not reach.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/text.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"
#include "engine/rewrite/observer.h"
#include "engine/symbolic/make_store.h"
#include "engine/symbolic/symbolic.h"
#include "tests/symbolic/integer_expressions.h"
#include "tests/symbolic/rule_case.h"

namespace rangescope::symbolic::testing {
namespace {

constexpr int64_t kMostAssignments = 4096;  // more make a proof too long
constexpr size_t kEnough = 60;              // proofs of one rule

// Every assignment to the leaves of both, or none where there are too many or they are no integers.
class Assignments {
 public:
  Assignments(UOp before, UOp after) {
    std::set<uint32_t> seen;
    for (const UOp root : {before, after})
      for (const UOp u : toposort(root)) {
        if (is_leaf(u) && seen.insert(u.id()).second) add(u);
        if (u.in({Op::FLOORDIV, Op::FLOORMOD, Op::CDIV, Op::CMOD})) divisors_.push_back(u.src(1));
      }
  }
  bool few() const { return count_ > 0 && count_ <= kMostAssignments; }
  // The next one that is possible: a range stays below its end, and nothing is divided by 0. False after the last.
  bool next() {
    while (step())
      if (is_possible()) return true;
    return false;
  }
  const Values& values() const { return values_; }
  std::string text() const {
    std::string out;
    for (const Leaf& l : leaves_) out += l.u.render(false) + " = " + values_.at(l.u.id()).str() + "  ";
    return out;
  }

 private:
  struct Leaf {
    UOp u;
    int64_t low, high, at;
    UOps others;  // of the same variable, in another dtype
    Scalar value(int64_t v) const { return u.dtype() == DType::bool_ ? Scalar(v != 0) : Scalar(v); }
  };

  void set(const Leaf& l, int64_t v) {
    values_[l.u.id()] = l.value(v);
    for (const UOp other : l.others) values_[other.id()] = l.value(v);
  }
  bool step() {
    if (!started_) {
      started_ = true;
      for (const Leaf& l : leaves_) set(l, l.low);
      return true;
    }
    for (Leaf& l : leaves_) {
      l.at = l.at == l.high ? l.low : l.at + 1;
      set(l, l.at);
      if (l.at != l.low) return true;
    }
    return false;
  }
  bool is_possible() const {
    return std::ranges::all_of(leaves_,
                               [&](const Leaf& l) {
                                 return !l.u.is(Op::RANGE) ||
                                        python_less(values_.at(l.u.id()), evaluate(l.u.src(0), values_));
                               }) &&
           std::ranges::none_of(divisors_, [&](UOp d) { return python_equal(evaluate(d, values_), Scalar(0)); });
  }
  void add(UOp u) {
    const auto same = std::ranges::find_if(leaves_, [&](const Leaf& l) { return is_variable_of(l.u, u); });
    if (same != leaves_.end()) {
      same->others.push_back(u);
      return;
    }
    const bool boolean = u.dtype() == DType::bool_;
    if (!boolean && !is_int(u.dtype())) {
      count_ = 0;
      return;
    }
    auto low = boolean ? 0 : u.vmin().as_int().to_int64();
    const auto high = boolean ? 1 : u.vmax().as_int().to_int64();
    if (low && is_unsigned(u.dtype())) low = std::max<int64_t>(*low, 0);
    if (!low || !high || *high < *low || *high - *low >= kMostAssignments || count_ > kMostAssignments) {
      count_ = 0;
      return;
    }
    count_ *= *high - *low + 1;
    leaves_.push_back({u, *low, *high, *low, {}});
  }
  static bool is_variable_of(UOp a, UOp b) {
    return a.is(Op::PARAM) && b.is(Op::PARAM) && a.arg().as<ParamArg>().name == b.arg().as<ParamArg>().name;
  }

  std::vector<Leaf> leaves_;
  UOps divisors_;
  Values values_;
  int64_t count_ = 1;
  bool started_ = false;
};

bool is_arithmetic(UOp root) {
  return std::ranges::all_of(toposort(root), [](UOp u) {
    if (u.is_invalid() || is_float(u.dtype())) return false;
    if (is_leaf(u) || u.is_const() || u.is(Op::STACK)) return true;  // a STACK is a variable's empty shape
    return (u.is(Op::CAST) || groups::ALU.contains(u.op())) && !u.src_ops().contains(Op::STACK);
  });
}

// Sums of unsigned numbers wrap; the reference moves their terms across a comparison all the same, and so do we.
bool is_known_to_be_wrong(const Rule& rule, UOp before) {
  if (rule.name != "lift-add-out-of-lt") return false;
  return std::ranges::any_of(toposort(before), [](UOp u) { return u.is(Op::ADD) && is_unsigned(u.dtype()); });
}

// Rules of `symbolic` that are about something else than the value of integers.
const std::set<std::string_view> kAboutOtherThings = {
    // values that are invalid, and reads and writes of nothing
    "invalid-stack", "invalid-unary", "unary-into-gate", "binary-into-left-gate", "binary-into-right-gate",
    "invalid-operand", "invalid-condition", "gated-condition", "invalid-in-false-branch", "gate-out-of-true-branch",
    "gate-out-of-false-branch", "store-to-nowhere", "load-from-nowhere",
    // division of floats
    "zero-by-zero", "times-zero-by-zero", "div-itself", "mul-then-div", "merge-divisions",
    // bits, shapes, elements and order
    "bitcast-constant", "merge-bitcasts", "merge-reshapes", "remove-noop-reshape", "merge-permutes",
    "remove-noop-permute", "stack-of-elements", "index-stack-at-constant", "merge-indexes", "index-of-shaped-index",
    "wait-for-effects", "nothing-to-wait-for"};

// Checks what fires.
class Proofs : public RewriteObserver {
 public:
  void pass_begin(const PassInfo&, UOp) override {}
  void pass_end(UOp) override {}
  void rule_raised(const Rule&, UOp, std::string_view) override {}
  void rule_matched(const Rule& rule, UOp before, UOp after, uint64_t) override { prove(rule, before, after); }

  void prove(const Rule& rule, UOp before, UOp after) {
    if (proved_[rule.name] >= kEnough || !is_arithmetic(before) || !is_arithmetic(after)) return;
    if (is_known_to_be_wrong(rule, before)) return;
    Assignments all(before, after);
    if (!all.few()) return;
    while (all.next()) {
      const Scalar was = evaluate(before, all.values());
      const Scalar is = evaluate(after, all.values());
      if (python_equal(was, is)) continue;
      ADD_FAILURE() << rule.name << " changes a value: " << was.str() << " before, " << is.str() << " after where "
                    << all.text() << "\n"
                    << pretty_print(before) << "\n"
                    << pretty_print(after);
      return;
    }
    ++proved_[rule.name];
  }
  size_t count(std::string_view rule) const {
    const auto it = proved_.find(rule);
    return it == proved_.end() ? 0 : it->second;
  }

 private:
  std::map<std::string_view, size_t> proved_;
};

void prove_on_random_expressions(Proofs& proofs) {
  std::mt19937 rng(20261130);
  for (int round = 0; round < 1500; ++round) {
    const auto store = make_store();
    IntegerExpressions make(*store, rng, Span::Narrow);
    const UOp u = round % 2 == 0 ? make.number(4) : make.condition(4);
    const ObserverScope scope(*store, proofs);
    graph_rewrite(u, round % 3 == 0 ? sym() : symbolic());
  }
}

void prove_on_cases(Proofs& proofs) {
  for_each_rule_case([&](const RuleCase& c) {
    if (c.after) proofs.prove(c.rule(), c.before, c.after);
  });
}

TEST(SmallRanges, NoIntegerRuleChangesAValue) {
  Proofs proofs;
  prove_on_random_expressions(proofs);
  prove_on_cases(proofs);
  for (const RuleSet::Entry& e : symbolic().entries())
    EXPECT_EQ(proofs.count(e.rule->name) > 0, !kAboutOtherThings.contains(e.rule->name))
        << e.rule->name << " was proved on " << proofs.count(e.rule->name) << " expressions";
}

}  // namespace
}  // namespace rangescope::symbolic::testing
