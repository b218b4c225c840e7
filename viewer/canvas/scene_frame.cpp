#include "viewer/canvas/scene_frame.h"

#include <algorithm>
#include <tuple>

namespace rangescope::viewer {

namespace {
constexpr size_t kGhostsInView = 12;
}  // namespace

std::shared_ptr<const SceneFrame> SceneFrame::make(SceneGraph graph, const TextMetrics& metrics,
                                                   const SceneFrame* previous, const LayoutOptions& options,
                                                   const std::stop_token& stop) {
  dropBadEdges(graph);
  auto placed = viewer::layout(graph, metrics.sizes(graph), previous ? &previous->layout : nullptr, options, stop);
  if (!placed) return nullptr;
  return from(std::move(graph), std::move(*placed));
}

std::shared_ptr<const SceneFrame> SceneFrame::from(SceneGraph graph, Layout layout) {
  Adjacency adjacency(graph);
  KeyIndex keys(graph);
  GridIndex grid(layout.nodes);
  auto frame = std::make_shared<SceneFrame>(SceneFrame{
      std::move(graph), std::move(layout), std::move(adjacency), std::move(keys), std::move(grid), {}, {}, 0, 0});
  frame->edgeBounds.reserve(frame->graph.edges.size());
  for (const EdgePath& path : frame->layout.edges) {
    const Point* p = frame->layout.points.data() + path.first;
    double left = p[0].x, right = left, top = p[0].y, bottom = top;
    for (uint32_t k = 1; k < path.count; k++) {
      left = std::min(left, p[k].x), right = std::max(right, p[k].x);
      top = std::min(top, p[k].y), bottom = std::max(bottom, p[k].y);
    }
    frame->edgeBounds.push_back({left - 1, top - 1, right - left + 2, bottom - top + 2});
  }
  for (size_t v = 0; v < frame->graph.nodes.size(); v++) {
    const SceneNode& node = frame->graph.nodes[v];
    frame->ghosts += node.state == NodeState::Ghost;
    if (node.state == NodeState::New || node.state == NodeState::Match)
      frame->changed = frame->changed.united(frame->layout.nodes[v]);
    frame->mostHeat = std::max(frame->mostHeat, node.heat);
  }
  // A few ghosts belong to what is looked at; the ghosts of half a graph would hide what came instead.
  if (frame->ghosts <= kGhostsInView || frame->changed.empty())
    for (size_t v = 0; v < frame->graph.nodes.size(); v++)
      if (frame->graph.nodes[v].state == NodeState::Ghost)
        frame->changed = frame->changed.united(frame->layout.nodes[v]);
  return frame;
}

namespace {

struct EdgeName {
  uint32_t from, to;
  uint16_t port;
  uint32_t index;
  auto name() const { return std::tie(from, to, port); }
};

std::vector<EdgeName> edgeNames(const SceneGraph& graph) {
  std::vector<EdgeName> names;
  names.reserve(graph.edges.size());
  for (uint32_t e = 0; e < graph.edges.size(); e++) {
    const SceneEdge& edge = graph.edges[e];
    names.push_back({graph.nodes[edge.from].key, graph.nodes[edge.to].key, edge.port, e});
  }
  std::sort(names.begin(), names.end(), [](const EdgeName& a, const EdgeName& b) { return a.name() < b.name(); });
  return names;
}

}  // namespace

Motion::Motion(std::shared_ptr<const SceneFrame> from, std::shared_ptr<const SceneFrame> to)
    : from_(std::move(from)), to_(std::move(to)) {
  const size_t n = to_->graph.nodes.size();
  deltas_.resize(n), new_.assign(n, false), before_.assign(n, NodeState::Normal);
  for (uint32_t v = 0; v < n; v++) {
    const auto was = from_->keys.find(to_->graph.nodes[v].key);
    if (!was) {
      new_[v] = true, still_ = false;
      continue;
    }
    const Rect &a = from_->layout.nodes[*was], &b = to_->layout.nodes[v];
    deltas_[v] = {b.x - a.x, b.y - a.y, b.w - a.w, b.h - a.h};
    before_[v] = from_->graph.nodes[*was].state;
    if (a != b || before_[v] != to_->graph.nodes[v].state) still_ = false;
  }
  for (uint32_t v = 0; v < from_->graph.nodes.size(); v++)
    if (!to_->keys.find(from_->graph.nodes[v].key)) leaving_.push_back(v), still_ = false;

  const std::vector<EdgeName> before = edgeNames(from_->graph), after = edgeNames(to_->graph);
  newEdge_.assign(to_->graph.edges.size(), false);
  size_t i = 0, k = 0;
  while (i < before.size() || k < after.size()) {
    if (k == after.size() || (i < before.size() && before[i].name() < after[k].name())) {
      leavingEdges_.push_back(before[i++].index);
    } else if (i == before.size() || after[k].name() < before[i].name()) {
      newEdge_[after[k++].index] = true;
    } else {
      i++, k++;
    }
  }
  still_ = still_ && leavingEdges_.empty() && std::find(newEdge_.begin(), newEdge_.end(), true) == newEdge_.end();
}

}  // namespace rangescope::viewer
