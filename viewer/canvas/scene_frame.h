#pragma once

#include <memory>
#include <stop_token>

#include "viewer/canvas/grid_index.h"
#include "viewer/canvas/text.h"
#include "viewer/layout/layout.h"

namespace rangescope::viewer {

// One picture, complete: graph, positions, and the indexes that painting and picking need. Immutable, so that it is
// made on any thread and handed to the canvas.
struct SceneFrame {
  SceneGraph graph;
  Layout layout;
  Adjacency adjacency;
  KeyIndex keys;
  GridIndex grid;
  std::vector<Rect> edgeBounds;
  Rect changed;         // around what the step matched and made, and the little it took away; empty: nothing
  double mostHeat = 0;  // the largest heat of a node; 0: nothing is measured
  size_t ghosts = 0;

  // Sizes, places and indexes `graph`. Nothing when stopped.
  static std::shared_ptr<const SceneFrame> make(SceneGraph graph, const TextMetrics& metrics,
                                                const SceneFrame* previous = nullptr, const LayoutOptions& options = {},
                                                const std::stop_token& stop = {});
  // Takes a layout that was made elsewhere; it must be of this graph.
  static std::shared_ptr<const SceneFrame> from(SceneGraph graph, Layout layout);

  std::optional<uint32_t> nodeAt(Point p) const { return grid.at(layout.nodes, p); }
};

// From one frame to the next: who glides from where, who appears, who goes.
class Motion {
 public:
  Motion(std::shared_ptr<const SceneFrame> from, std::shared_ptr<const SceneFrame> to);

  const SceneFrame& from() const { return *from_; }
  const SceneFrame& to() const { return *to_; }
  bool still() const { return still_; }

  // Of a node of to(), at eased progress t in [0, 1].
  Rect rect(uint32_t node, double t) const {
    const Delta& d = deltas_[node];
    const Rect& r = to_->layout.nodes[node];
    return {r.x - d.x * (1 - t), r.y - d.y * (1 - t), r.w - d.w * (1 - t), r.h - d.h * (1 - t)};
  }
  Point offset(uint32_t node, double t) const {  // of the node from its final place
    return {-deltas_[node].x * (1 - t), -deltas_[node].y * (1 - t)};
  }
  bool isNew(uint32_t node) const { return new_[node]; }
  bool isNewEdge(uint32_t edge) const { return newEdge_[edge]; }
  // What the node looked like before: a survivor that becomes a ghost fades into it.
  NodeState stateBefore(uint32_t node) const { return before_[node]; }
  // Nodes and edges of from() that to() does not have.
  const std::vector<uint32_t>& leaving() const { return leaving_; }
  const std::vector<uint32_t>& leavingEdges() const { return leavingEdges_; }

 private:
  struct Delta {
    double x = 0, y = 0, w = 0, h = 0;
  };
  std::shared_ptr<const SceneFrame> from_, to_;
  std::vector<Delta> deltas_;
  std::vector<bool> new_, newEdge_;
  std::vector<NodeState> before_;
  std::vector<uint32_t> leaving_, leavingEdges_;
  bool still_ = true;
};

}  // namespace rangescope::viewer
