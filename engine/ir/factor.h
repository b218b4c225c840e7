#pragma once
// Multisets of factors, and the greatest common divisor of integer expressions (reference: uop/ops.py, UOp.gcd).

#include <span>
#include <utility>
#include <vector>

#include "engine/ir/uop.h"

namespace rangescope {

// A multiset of nodes that keeps the order in which they were first seen, as Python's Counter does.
class Counter {
 public:
  void add(UOp u, int64_t n);
  void intersect(const Counter& other);
  bool all_non_negative() const;
  UOps elements() const;

 private:
  std::vector<std::pair<UOp, int64_t>> items_;
};

// A common divisor: shared symbolic factors times the gcd of the constant ones. Not simplified.
UOp gcd(std::span<const UOp> uops);

}  // namespace rangescope
