#include "tests/symbolic/integer_expressions.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/op.h"
#include "engine/ir/scalar_alu.h"
#include "engine/ir/traversal.h"

namespace rangescope::symbolic::testing {

bool is_leaf(UOp u) {
  return u.is(Op::PARAM) || u.is(Op::RANGE);
}

Scalar evaluate(UOp root, const Values& leaves) {
  Values values;
  for (const UOp u : toposort(root)) {
    Scalar v;
    if (const auto leaf = leaves.find(u.id()); leaf != leaves.end()) {
      v = leaf->second;
    } else if (u.is_const()) {
      v = u.val();
    } else if (u.is(Op::STACK)) {
      continue;  // a variable's empty shape
    } else if (u.is(Op::CAST)) {
      v = truncate(u.dtype(), dtype_const(u.dtype(), values.at(u.src(0).id())));
    } else if (groups::ALU.contains(u.op())) {
      std::vector<Scalar> operands;
      for (const UOp s : u.srcs()) operands.push_back(values.at(s.id()));
      v = exec_alu(u.op(), u.dtype(), operands);
    } else {
      throw GraphError(fmt::format("{} has no value of its own", op_name(u.op())));
    }
    values[u.id()] = v;
  }
  return values.at(root.id());
}

IntegerExpressions::IntegerExpressions(Store& store, std::mt19937& rng, Span span) : store_(store), rng_(rng) {
  const bool wide = span == Span::Wide;
  for (int i = 0; i < (wide ? 4 : 2); ++i) {
    const int low = pick({0, 0, 0, 1, -5, -1});
    const int width = wide ? pick({0, 1, 3, 7, 9, 31}) : pick({0, 1, 3, 7, 9});
    leaves_.push_back(store_.variable("v" + std::to_string(i), Scalar(low), Scalar(low + width), DType::weakint, true));
  }
  for (int i = 0; i < (wide ? 2 : 1); ++i) leaves_.push_back(store_.range(Dim(pick({1, 2, 4, 8, 10})), i));
  flag_ = store_.variable("flag", Scalar(false), Scalar(true), DType::bool_, true);
}

// These two call each other as deep as they are asked to.
// NOLINTBEGIN(misc-no-recursion)
UOp IntegerExpressions::number(int depth) {
  if (depth == 0 || chance(10)) return chance(75) ? leaf() : constant();
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

UOp IntegerExpressions::condition(int depth) {
  if (depth == 0) return chance(50) ? flag_ : lt(leaf(), constant());
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
// NOLINTEND(misc-no-recursion)

Values IntegerExpressions::assignment() {
  Values values;
  for (const UOp u : leaves_) {
    const int64_t low = *u.vmin().as_int().to_int64();
    const int64_t high = *u.vmax().as_int().to_int64();
    values[u.id()] = Scalar(std::uniform_int_distribution<int64_t>(low, high)(rng_));
  }
  values[flag_.id()] = Scalar(chance(50));
  return values;
}

size_t IntegerExpressions::below(size_t n) {
  return std::uniform_int_distribution<size_t>(0, n - 1)(rng_);
}
bool IntegerExpressions::chance(int percent) {
  return static_cast<int>(below(100)) < percent;
}
int IntegerExpressions::pick(std::initializer_list<int> of) {
  return *(of.begin() + below(of.size()));
}
UOp IntegerExpressions::leaf() {
  return leaves_[below(leaves_.size())];
}
UOp IntegerExpressions::constant() {
  return store_.constant(pick({0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 31, -1, -2, -3, -8}));
}
UOp IntegerExpressions::divisor() {
  return store_.constant(pick({1, 2, 3, 4, 5, 6, 8, 10, 12, -1, -2, -3, -4}));
}

}  // namespace rangescope::symbolic::testing
