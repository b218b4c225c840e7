#pragma once
// Any step of any pass: the graph after the first k matches, from the pass's input and the map before -> after of those
// matches. One walk of the graph; graphs of steps are never stored.

#include <span>
#include <utility>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/uop.h"

namespace rangescope::trace {

struct PassRules {
  bool bottom_up = false;
  bool walk = false;
  bool enter_calls = false;
};

// `matches`: (before, after), in the order in which they fired.
// Follows the map at a node to its end, rebuilds what is there with rebuilt sources (dtype re-derived, bodies of calls
// left alone unless entered), and follows again where the map knows the rebuilt node. A walk stops after one
// replacement. Refuses a map that runs in a circle.
//
// `rebuilt`, if given, gets (node, what it was before its sources changed) for every node that was rebuilt, sources
// first: a viewer keeps the identity of a node whose sources alone are new.
Result<UOp> graph_after(UOp input, std::span<const std::pair<UOp, UOp>> matches, const PassRules& rules,
                        std::vector<std::pair<UOp, UOp>>* rebuilt = nullptr);

}  // namespace rangescope::trace
