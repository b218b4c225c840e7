// Random integer and boolean expressions keep their value when they are simplified. A failure prints the seed, the
// smallest failing part of the expression, and what the variables were.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/ir/scalar_alu.h"
#include "engine/ir/traversal.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::symbolic::testing {
namespace {

using Values = std::unordered_map<uint32_t, Scalar>;  // by node id

bool is_leaf(UOp u) {
  return u.is(Op::PARAM) || u.is(Op::RANGE);
}

Scalar evaluate(UOp root, const Values& leaves) {
  Values values;
  for (const UOp u : toposort(root)) {
    Scalar v;
    if (is_leaf(u)) {
      v = leaves.at(u.id());
    } else if (u.is_const()) {
      v = u.val();
    } else if (u.is(Op::STACK)) {
      continue;  // a variable's empty shape
    } else if (u.is(Op::CAST)) {
      v = truncate(u.dtype(), dtype_const(u.dtype(), values.at(u.src(0).id())));
    } else {
      std::vector<Scalar> operands;
      for (const UOp s : u.srcs()) operands.push_back(values.at(s.id()));
      v = exec_alu(u.op(), u.dtype(), operands);
    }
    values[u.id()] = v;
  }
  return values.at(root.id());
}

// Its functions call each other as deep as they are asked to.
// NOLINTBEGIN(misc-no-recursion)
class Generator {
 public:
  Generator(Store& store, std::mt19937& rng) : store_(store), rng_(rng) {
    for (int i = 0; i < 4; ++i) {
      const int low = pick({0, 0, 0, 1, -5, -1});
      leaves_.push_back(store_.variable("v" + std::to_string(i), Scalar(low), Scalar(low + pick({0, 1, 3, 7, 9, 31})),
                                        DType::weakint, true));
    }
    for (int i = 0; i < 2; ++i) leaves_.push_back(store_.range(Dim(pick({1, 2, 4, 8, 10})), i));
    flag_ = store_.variable("flag", Scalar(false), Scalar(true), DType::bool_, true);
  }

  UOp number(int depth) {
    if (depth == 0 || chance(10)) return chance(75) ? leaves_[below(leaves_.size())] : constant();
    const UOp a = number(depth - 1);
    switch (below(10)) {
      case 0:
      case 1:
      case 2:
        return a + number(depth - 1);
      case 3:
      case 4:
        return a * (chance(80) ? constant() : number(depth - 1));
      case 5:
        return floordiv(a, divisor());
      case 6:
        return a % divisor();
      case 7:
        return a.maximum(number(depth - 1));
      case 8:
        return condition(depth - 1).where(a, number(depth - 1));
      default:
        return condition(depth - 1).cast(DType::weakint) + a;
    }
  }

  UOp condition(int depth) {
    if (depth == 0) return chance(50) ? flag_ : lt(leaves_[below(leaves_.size())], constant());
    switch (below(7)) {
      case 0:
      case 1:
        return lt(number(depth - 1), chance(60) ? constant() : number(depth - 1));
      case 2:
        return number(depth - 1).ne(chance(60) ? constant() : number(depth - 1));
      case 3:
        return condition(depth - 1) & condition(depth - 1);
      case 4:
        return condition(depth - 1) | condition(depth - 1);
      case 5:
        return condition(depth - 1).logical_not();
      default:
        return condition(depth - 1).where(condition(depth - 1), condition(depth - 1));
    }
  }

  Values assignment() {
    Values values;
    for (const UOp u : leaves_) {
      const int64_t low = *u.vmin().as_int().to_int64();
      const int64_t high = *u.vmax().as_int().to_int64();
      values[u.id()] = Scalar(std::uniform_int_distribution<int64_t>(low, high)(rng_));
    }
    values[flag_.id()] = Scalar(chance(50));
    return values;
  }

  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(rng_); }

 private:
  bool chance(int percent) { return static_cast<int>(below(100)) < percent; }
  int pick(std::initializer_list<int> of) { return *(of.begin() + below(of.size())); }
  UOp constant() { return store_.constant(pick({0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 31, -1, -2, -3, -8})); }
  UOp divisor() { return store_.constant(pick({1, 2, 3, 4, 5, 6, 8, 10, 12, -1, -2, -3, -4})); }

  Store& store_;
  std::mt19937& rng_;
  UOps leaves_;
  UOp flag_;
};
// NOLINTEND(misc-no-recursion)

// Empty where all is well, else what went wrong.
std::string difference(UOp u, const std::vector<Values>& assignments) {
  UOp simple;
  try {
    simple = u.simplify();
  } catch (const std::exception& e) {
    return std::string("refused: ") + e.what();
  }
  for (const Values& values : assignments) {
    const Scalar before = evaluate(u, values);
    const Scalar after = evaluate(simple, values);
    if (!python_equal(before, after))
      return before.str() + " before, " + after.str() + " after\n  " + u.render(false) + "\n  " + simple.render(false);
    if (python_less(before, u.vmin()) || python_less(u.vmax(), before))
      return before.str() + " is outside [" + u.vmin().str() + ", " + u.vmax().str() + "]\n  " + u.render(false);
  }
  return {};
}

// Nodes below come first, so the first part that fails is a smallest one.
std::string smallest_difference(UOp u, const std::vector<Values>& assignments) {
  for (const UOp part : toposort(u))
    if (!is_leaf(part) && !part.is_const() && !part.is(Op::STACK))
      if (std::string d = difference(part, assignments); !d.empty()) return d;
  return difference(u, assignments);
}

TEST(Values, SurviveSimplification) {
  const char* given = std::getenv("RANGESCOPE_SEED");
  const unsigned seed = given != nullptr ? static_cast<unsigned>(std::stoul(given)) : std::random_device{}();
  std::mt19937 rng(seed);
  for (int round = 0; round < 1000; ++round) {
    const auto store = make_store();
    Generator make(*store, rng);
    const UOp u = round % 2 == 0 ? make.number(4) : make.condition(4);
    std::vector<Values> assignments;
    assignments.reserve(12);
    for (int i = 0; i < 12; ++i) assignments.push_back(make.assignment());
    if (difference(u, assignments).empty()) continue;
    ADD_FAILURE() << "RANGESCOPE_SEED=" << seed << ", expression " << round << ": "
                  << smallest_difference(u, assignments);
    return;
  }
}

}  // namespace
}  // namespace rangescope::symbolic::testing
