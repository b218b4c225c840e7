#pragma once
// What a condition says about the indices that it guards (reference: uop/symbolic.py, simplify_valid).

#include <optional>

#include "engine/ir/int.h"
#include "engine/ir/uop.h"

namespace rangescope::symbolic {

// `expr <= limit` where is_upper, else `expr >= limit`.
struct ValidBound {
  UOp expr;
  bool is_upper;
  Int limit;
};
// What one clause says; nothing where it bounds no integer.
std::optional<ValidBound> parse_valid(UOp v);

// `u` as it can be written where `valid` holds; `u` itself where nothing is gained. With try_simplex a clause
// x0 + x1 + ... > 0 also counts where each xi > 0 alone leads to the same result.
UOp uop_given_valid(UOp valid, UOp u, bool try_simplex = true);

// The clauses of a conjunction, each simplified given the ones before; null: no change.
UOp simplify_valid(UOp valid);

}  // namespace rangescope::symbolic
