#pragma once
// Random integer and boolean expressions over few variables, and what an expression is worth for given values of them.

#include <initializer_list>
#include <random>
#include <unordered_map>

#include "engine/ir/scalar.h"
#include "engine/ir/store.h"

namespace rangescope::symbolic::testing {

using Values = std::unordered_map<uint32_t, Scalar>;  // by node id

// A variable or a range: what has a value of its own.
bool is_leaf(UOp u);

// Needs a value for every leaf. Refuses (GraphError) an op that is no arithmetic.
Scalar evaluate(UOp root, const Values& leaves);

// How far apart the bounds of a leaf may lie.
enum class Span : uint8_t { Wide, Narrow };

class IntegerExpressions {
 public:
  IntegerExpressions(Store& store, std::mt19937& rng, Span span = Span::Wide);

  UOp number(int depth);
  UOp condition(int depth);
  Values assignment();  // random values within the bounds

 private:
  size_t below(size_t n);
  bool chance(int percent);
  int pick(std::initializer_list<int> of);
  UOp leaf();
  UOp constant();
  UOp divisor();

  Store& store_;
  std::mt19937& rng_;
  UOps leaves_;
  UOp flag_;
};

}  // namespace rangescope::symbolic::testing
