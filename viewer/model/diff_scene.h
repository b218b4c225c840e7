#pragma once
// Two graphs as one picture and as text: what the second has and the first has not, what is gone, what reads other
// sources, what has another dtype or argument. Nodes are held against each other by structure, from the roots down, so
// that a node whose sources alone were rewritten is still the same one.

#include <array>
#include <string>
#include <vector>

#include "engine/ir/uop.h"
#include "viewer/model/step_scene.h"

namespace rangescope::viewer {

enum class NodeChange : uint8_t { Same, Added, Removed, Resourced, Retyped, Argument };
inline constexpr size_t kNodeChanges = 6;

// A node as a line of text on either side; empty where that side does not have it.
struct DiffLine {
  std::string a, b;
  NodeChange change = NodeChange::Same;
  uint32_t key = 0;
};

using DiffLines = std::vector<DiffLine>;

struct GraphDiff {
  SceneGraph graph;  // keys are ids of nodes of b, or of a where b has none
  DiffLines lines;
  std::array<size_t, kNodeChanges> counts{};
  size_t nodes = 0;  // of b
  size_t changed() const { return counts[1] + counts[2] + counts[3] + counts[4] + counts[5]; }
};

// Both of one store.
GraphDiff graphDiff(UOp a, UOp b, const SceneFilters& filters);

// The same graph in another store, to be held against one of that.
UOp copyInto(Store& store, UOp root);

}  // namespace rangescope::viewer
