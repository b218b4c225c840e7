#include <algorithm>
#include <cmath>

#include "viewer/layout/layered.h"

namespace rangescope::viewer::layered {

namespace {

// From (across, down) to the direction that was asked for.
struct Axes {
  Direction direction;
  Point point(double across, double down) const {
    switch (direction) {
      case Direction::SourcesAbove:
        return {across, down};
      case Direction::SourcesBelow:
        return {across, -down};
      case Direction::SourcesLeft:
        return {down, across};
    }
    return {};
  }
  Rect rect(double across, double down, Size flow) const {
    switch (direction) {
      case Direction::SourcesAbove:
        return {across - flow.w / 2, down, flow.w, flow.h};
      case Direction::SourcesBelow:
        return {across - flow.w / 2, -down - flow.h, flow.w, flow.h};
      case Direction::SourcesLeft:
        return {down, across - flow.w / 2, flow.h, flow.w};
    }
    return {};
  }
};

}  // namespace

std::vector<RankBand> rankBands(const Layered& g, const std::vector<double>& x, const Sizes& flowSizes,
                                const Layout* previous, const LayoutOptions& options) {
  std::vector<RankBand> bands(g.rowCount);
  for (uint32_t v = 0; v < g.nodeCount; v++) {
    RankBand& band = bands[g.items[v].row];
    band.height = std::max(band.height, flowSizes[v].h);
  }
  const auto old = [&](uint32_t row) -> const RankBand* {
    if (!previous) return nullptr;
    const int64_t at = int64_t{g.firstRank} + row - previous->firstRank;
    return at >= 0 && at < static_cast<int64_t>(previous->bands.size()) ? &previous->bands[at] : nullptr;
  };
  // Long edges need height to turn in without lying flat.
  std::vector<double> reach(g.rowCount, 0);
  for (const Link& l : g.links) {
    double& r = reach[g.items[l.upper].row];
    r = std::max(r, std::abs(x[l.upper] - x[l.lower] - l.offset));
  }
  const auto gap = [&](uint32_t row) { return options.rankGap + std::min(80.0, reach[row] * 0.04); };
  // Rows of the step before keep their tops; rows above the first of them are stacked upwards from it.
  uint32_t first = 0;
  while (first < g.rowCount && !old(first)) first++;
  if (first == g.rowCount) first = 0;
  if (const RankBand* band = old(first)) bands[first].top = band->top;
  for (uint32_t r = first; r-- > 0;) bands[r].top = bands[r + 1].top - gap(r) - bands[r].height;
  for (uint32_t r = first + 1; r < g.rowCount; r++) {
    const RankBand *above = old(r - 1), *here = old(r);
    double pitch = bands[r - 1].height + gap(r - 1);
    if (above && here) {
      const double before = here->top - above->top;
      // A little less room for the turns is better than moving everything below.
      const double least = bands[r - 1].height + options.rankGap;
      pitch = before >= least ? before : std::max(before, pitch);
    }
    bands[r].top = bands[r - 1].top + pitch;
  }
  return bands;
}

void route(const Layered& g, const SceneGraph& graph, const Adjacency& adjacency, const std::vector<double>& x,
           const Sizes& flowSizes, const LayoutOptions& options, Layout& out) {
  const Axes axes{options.direction};
  const size_t n = graph.nodes.size();
  out.direction = options.direction;
  out.keys.resize(n), out.nodes.resize(n), out.ranks.resize(n);
  out.firstRank = g.firstRank;
  out.bounds = {};
  const auto top = [&](uint32_t item) { return out.bands[g.items[item].row].top; };
  const auto rowBottom = [&](uint32_t item) { return top(item) + out.bands[g.items[item].row].height; };
  for (uint32_t v = 0; v < n; v++) {
    out.keys[v] = graph.nodes[v].key;
    out.ranks[v] = g.items[v].row + g.firstRank;
    out.nodes[v] = axes.rect(x[v], top(v), flowSizes[v]);
    out.bounds = out.bounds.united(out.nodes[v]);
  }
  out.laneStart = g.laneStart;
  out.laneX.assign(x.begin() + static_cast<ptrdiff_t>(n), x.end());

  out.edges.resize(graph.edges.size());
  out.points.clear();
  out.points.reserve(graph.edges.size() * 3);
  for (uint32_t u = 0; u < n; u++) {
    for (uint32_t i = adjacency.sourceStart[u]; i < adjacency.sourceStart[u + 1]; i++) {
      const uint32_t e = adjacency.sourceEdges[i], v = graph.edges[e].from;
      EdgePath path{static_cast<uint32_t>(out.points.size()), 0, g.express[e]};
      double lastX = x[v];
      const auto add = [&](double across, double down) {
        out.points.push_back(axes.point(across, down));
        lastX = across;
      };
      add(x[v], top(v) + flowSizes[v].h);
      // All turns happen between ranks: leave the rank first, pass others straight through their height.
      if (rowBottom(v) > top(v) + flowSizes[v].h + 0.5) add(x[v], rowBottom(v));
      if (!path.express) {
        const int32_t span = g.items[u].row - g.items[v].row;
        for (int32_t k = 0; k + 1 < span; k++) {
          const uint32_t lane = g.nodeCount + g.laneStart[v] + k;
          const bool straight = k > 0 && x[lane] == lastX;
          if (straight) {
            out.points.back() = axes.point(x[lane], rowBottom(lane));
            continue;
          }
          add(x[lane], top(lane));
          add(x[lane], rowBottom(lane));
        }
      }
      add(x[u] + portOffset(graph.edges[e], flowSizes[u].w), top(u));
      path.count = static_cast<uint32_t>(out.points.size()) - path.first;
      out.edges[e] = path;
    }
  }
  for (const Point& p : out.points) {
    const double right = std::max(out.bounds.right(), p.x), bottom = std::max(out.bounds.bottom(), p.y);
    out.bounds.x = std::min(out.bounds.x, p.x), out.bounds.y = std::min(out.bounds.y, p.y);
    out.bounds.w = right - out.bounds.x, out.bounds.h = bottom - out.bounds.y;
  }
  out.work = g.work + out.points.size();
}

}  // namespace rangescope::viewer::layered
