#include "viewer/layout/layout.h"

#include <algorithm>
#include <cmath>

#include "viewer/layout/layered.h"

namespace rangescope::viewer {

namespace {

using namespace layered;

// Across and down sizes: a flow to the right swaps the axes.
Sizes flowSizes(const SceneGraph& graph, const Sizes& sizes, Direction direction) {
  Sizes flow(graph.nodes.size());
  for (size_t v = 0; v < flow.size(); v++) {
    const Size s = v < sizes.size() ? sizes[v] : Size{80, 24};
    flow[v] = direction == Direction::SourcesLeft ? Size{s.h, s.w} : s;
  }
  return flow;
}

double across(const Layout& l, uint32_t node) {
  const Point c = l.nodes[node].center();
  return l.direction == Direction::SourcesLeft ? c.y : c.x;
}

struct Survivors {
  std::vector<uint32_t> before;  // by node: its index in the previous layout, or kGone
  size_t count = 0;
  static constexpr uint32_t kGone = ~0u;
};

Survivors survivors(const SceneGraph& graph, const Layout& previous) {
  Survivors s;
  const KeyIndex index(previous.keys);
  s.before.resize(graph.nodes.size());
  for (size_t v = 0; v < s.before.size(); v++) {
    const auto at = index.find(graph.nodes[v].key);
    s.before[v] = at.value_or(Survivors::kGone);
    s.count += at.has_value();
  }
  return s;
}

// The previous place of a source's lane at a rank, if it had one there.
std::optional<double> laneBefore(const Layout& previous, uint32_t node, int32_t rank) {
  const int64_t k = int64_t{rank} - previous.ranks[node] - 1;
  const uint32_t first = previous.laneStart[node], count = previous.laneStart[node + 1] - first;
  if (k < 0 || k >= count) return std::nullopt;
  return previous.laneX[first + k];
}

// A first layout next to an unrelated picture: what both have in common stays near where it was.
void shiftToSurvivors(Layout& fresh, const Layout& previous, const Survivors& s) {
  std::vector<double> dx, dy;
  for (size_t v = 0; v < s.before.size(); v++) {
    if (s.before[v] == Survivors::kGone) continue;
    dx.push_back(previous.nodes[s.before[v]].x - fresh.nodes[v].x);
    dy.push_back(previous.nodes[s.before[v]].y - fresh.nodes[v].y);
  }
  if (dx.empty() || previous.direction != fresh.direction) return;
  const auto median = [](std::vector<double>& d) {
    std::nth_element(d.begin(), d.begin() + d.size() / 2, d.end());
    return d[d.size() / 2];
  };
  const Point shift{median(dx), median(dy)};
  for (Rect& r : fresh.nodes) r.x += shift.x, r.y += shift.y;
  for (Point& p : fresh.points) p.x += shift.x, p.y += shift.y;
  fresh.bounds.x += shift.x, fresh.bounds.y += shift.y;
  const bool left = fresh.direction == Direction::SourcesLeft;
  const double down = left ? shift.x : fresh.direction == Direction::SourcesBelow ? -shift.y : shift.y;
  for (RankBand& b : fresh.bands) b.top += down;
  for (double& x : fresh.laneX) x += left ? shift.y : shift.x;
}

Layout finish(const Layered& g, const SceneGraph& graph, const Adjacency& adjacency, const std::vector<double>& x,
              const Sizes& flow, const Layout* previous, const LayoutOptions& options, LayoutEngine engine) {
  Layout out;
  out.engine = engine;
  out.bands = rankBands(g, x, flow, previous, options);
  route(g, graph, adjacency, x, flow, options, out);
  return out;
}

Layout anchored(const SceneGraph& graph, const Adjacency& adjacency, const SourceOrder& order, const Sizes& flow,
                const Layout& previous, const Survivors& s, const LayoutOptions& options) {
  std::vector<int32_t> before(graph.nodes.size(), kNoRank);
  for (size_t v = 0; v < before.size(); v++)
    if (s.before[v] != Survivors::kGone) before[v] = previous.ranks[s.before[v]];
  std::vector<int32_t> ranks = anchoredRanks(graph, adjacency, order, before);
  // Holes left by many steps are closed at once, when they have come to more than half of what is needed.
  const Layout* bandsFrom = &previous;
  uint64_t needed = previous.stretch;
  const auto tooMuch = [&] { return stretch(graph, order, ranks) > needed * 3 / 2 + graph.nodes.size() / 2 + 20; };
  if (tooMuch()) {
    std::vector<int32_t> best = freshRanks(graph, adjacency, order);
    needed = stretch(graph, order, best);
    if (tooMuch()) ranks = std::move(best), bandsFrom = nullptr;
  }
  Layered g = buildLayered(graph, adjacency, order, ranks, flow);
  Hints hints{std::vector<double>(g.items.size(), 0), std::vector<double>(g.items.size(), 0)};
  for (uint32_t v = 0; v < graph.nodes.size(); v++) {
    const uint32_t was = s.before[v];
    if (was == Survivors::kGone) continue;
    hints.x[v] = across(previous, was);
    hints.weight[v] = previous.ranks[was] == ranks[v] ? kSurvivor : kMoved;
    for (uint32_t lane = g.laneStart[v]; lane < g.laneStart[v + 1]; lane++) {
      const int32_t rank = ranks[v] + 1 + static_cast<int32_t>(lane - g.laneStart[v]);
      const auto x = laneBefore(previous, was, rank);
      if (x) hints.x[g.nodeCount + lane] = *x, hints.weight[g.nodeCount + lane] = kLane;
    }
  }
  const std::vector<double> x = anchor(g, order, std::move(hints), options);
  Layout out = finish(g, graph, adjacency, x, flow, bandsFrom, options, LayoutEngine::Anchored);
  out.stretch = needed;
  if (!bandsFrom) shiftToSurvivors(out, previous, s);
  return out;
}

std::optional<Layout> byDot(const SceneGraph& graph, const Adjacency& adjacency, const SourceOrder& order,
                            const Sizes& flow, const LayoutOptions& options, const std::stop_token& stop) {
  const auto dot = dotPlaces(graph, order, flow, options, stop);
  if (!dot) return std::nullopt;
  Layered g = buildLayered(graph, adjacency, order, dot->ranks, flow);
  Hints hints{std::vector<double>(g.items.size(), 0), std::vector<double>(g.items.size(), 0)};
  for (uint32_t v = 0; v < graph.nodes.size(); v++) hints.x[v] = dot->x[v], hints.weight[v] = kSurvivor;
  for (uint32_t e = 0; e < graph.edges.size(); e++) {
    const uint32_t v = graph.edges[e].from;
    for (const auto& [rank, x] : dot->edges[e]) {
      const uint32_t lane = g.laneStart[v] + (rank - dot->ranks[v] - 1);
      if (lane >= g.laneStart[v + 1] || hints.weight[g.nodeCount + lane] > 0) continue;
      hints.x[g.nodeCount + lane] = x, hints.weight[g.nodeCount + lane] = kLane;
    }
  }
  std::vector<double> x = anchor(g, order, std::move(hints), options);
  straighten(g, x, options);
  return finish(g, graph, adjacency, x, flow, nullptr, options, LayoutEngine::Dot);
}

}  // namespace

std::optional<Layout> layout(const SceneGraph& graph, const Sizes& sizes, const Layout* previous,
                             const LayoutOptions& options, const std::stop_token& stop) {
  if (graph.nodes.empty()) {
    Layout empty;
    empty.direction = options.direction;
    empty.laneStart = {0};
    return empty;
  }
  const Adjacency adjacency(graph);
  const SourceOrder order = sourceOrder(graph, adjacency);
  const Sizes flow = flowSizes(graph, sizes, options.direction);
  Survivors kept;
  if (previous && previous->direction == options.direction) {
    kept = survivors(graph, *previous);
    if (kept.count > 0 && kept.count >= options.keepSurvivors * graph.nodes.size())
      return anchored(graph, adjacency, order, flow, *previous, kept, options);
  }
  if (stop.stop_requested()) return std::nullopt;
  std::optional<Layout> out;
  if (graph.nodes.size() <= options.dotNodes && graph.edges.size() <= 3ull * options.dotNodes)
    out = byDot(graph, adjacency, order, flow, options, stop);
  if (stop.stop_requested()) return std::nullopt;
  if (!out) {
    Layered g = buildLayered(graph, adjacency, order, freshRanks(graph, adjacency, order), flow);
    orderBySource(g, graph, adjacency, order);
    if (!reduceCrossings(g, options.sweeps, stop)) return std::nullopt;
    std::vector<double> x = coordinates(g, options);
    settle(g, x, options);
    straighten(g, x, options);
    if (stop.stop_requested()) return std::nullopt;
    out = finish(g, graph, adjacency, x, flow, nullptr, options, LayoutEngine::Layered);
  }
  out->stretch = stretch(graph, order, out->ranks);
  if (kept.count > 0) shiftToSurvivors(*out, *previous, kept);
  return out;
}

}  // namespace rangescope::viewer
