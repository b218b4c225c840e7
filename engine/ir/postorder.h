#pragma once
// Computes a cached property of a node and of everything below it that still misses it, sources first, without
// recursion.

#include <utility>

#include "engine/ir/small_vector.h"
#include "engine/ir/uop.h"

namespace rangescope {

// `known(node)`: the property is cached. `needs(node)`: the sources that the property is computed from. `compute(node)`
// caches it.
template <class Known, class Needs, class Compute>
void compute_postorder(UOp root, Known known, Needs needs, Compute compute) {
  if (known(root)) return;
  SmallVector<std::pair<UOp, bool>, 32> stack;
  stack.emplace_back(root, false);
  while (!stack.empty()) {
    // apart: what was put there in two parts is slow to fetch in one
    const UOp u = stack.back().first;
    const bool visited = stack.back().second;
    stack.pop_back();
    if (known(u)) continue;
    if (visited) {
      compute(u);
      continue;
    }
    stack.emplace_back(u, true);
    const std::span<const UOp> s = needs(u);
    for (size_t i = s.size(); i-- > 0;)
      if (!known(s[i])) stack.emplace_back(s[i], false);
  }
}

}  // namespace rangescope
