// Random integer and boolean expressions keep their value when they are simplified. A failure prints the seed, the
// smallest failing part of the expression, and what the variables were.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "engine/ir/traversal.h"
#include "engine/symbolic/make_store.h"
#include "tests/symbolic/integer_expressions.h"

namespace rangescope::symbolic::testing {
namespace {

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
    IntegerExpressions make(*store, rng);
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
