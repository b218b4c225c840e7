#pragma once
// What of a graph is drawn: the nodes that the filters let through, labelled, with their edges. Private to
// viewer/model.

#include <utility>
#include <vector>

#include "engine/ir/uop.h"
#include "viewer/model/step_scene.h"

namespace rangescope::viewer {

// (rebuilt node, what it was before its sources changed), sources first.
using Rebuilt = std::vector<std::pair<UOp, UOp>>;

// Nodes in topological order, and what is drawn of them.
class Picture {
 public:
  Picture(UOp root, const SceneFilters& filters);

  const UOps& order() const { return order_; }
  // Whether the edge to source i, and with it the source, is in the picture.
  bool drawsSource(UOp user, size_t i) const;
  // Without labels nodes have no more than their keys: for a graph that another is only held against.
  enum class Labels : uint8_t { All, None };
  SceneGraph graph(Labels labels = Labels::All) const;
  // A node that was only rebuilt keeps the key of what it was. Adds the keys that this gives.
  SceneGraph graph(const Rebuilt& was, SceneKeys& keys, Labels labels = Labels::All) const;

 private:
  const SceneFilters& filters_;
  UOps order_;
};

// Larger graphs are shown as the surroundings of the change: nobody reads more boxes than that. Whether it was cut.
bool cutToChange(SceneGraph& graph);

}  // namespace rangescope::viewer
