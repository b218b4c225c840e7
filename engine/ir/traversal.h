#pragma once
// Walks over the graph below a node. Sources come before users; the order is the reference's (uop/ops.py,
// UOp.toposort). Iterative.

#include <utility>

#include "engine/ir/small_vector.h"
#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope {

// What a call's body is: it is entered only on request.
constexpr OpSet kCallOps{Op::CALL, Op::FUNCTION};

// Nodes below and including root that `gate(node)` lets through; a node that is refused is left out together with what
// only it reaches.
template <class Gate>
UOps toposort(UOp root, Gate gate, bool enter_calls = true) {
  UOps order;
  Marks done(root.store());
  SmallVector<std::pair<UOp, bool>, 64> stack{{root, false}};
  while (!stack.empty()) {
    const UOp node = stack.back().first;
    const bool visited = stack.back().second;
    stack.pop_back();
    if (done.contains(node)) continue;
    if (visited) {
      done.insert(node);
      order.push_back(node);
      continue;
    }
    if (!gate(node)) continue;
    stack.emplace_back(node, true);
    const std::span<const UOp> srcs =
        enter_calls || !node.in(kCallOps) ? node.srcs() : node.srcs().subspan(node.srcs().empty() ? 0 : 1);
    for (size_t i = srcs.size(); i-- > 0;)
      if (!done.contains(srcs[i])) stack.emplace_back(srcs[i], false);
  }
  return order;
}

inline UOps toposort(UOp root, bool enter_calls = true) {
  return toposort(
      root, [](UOp) { return true; }, enter_calls);
}

}  // namespace rangescope
