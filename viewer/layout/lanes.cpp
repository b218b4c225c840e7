#include <algorithm>
#include <numeric>

#include "viewer/layout/layered.h"

namespace rangescope::viewer::layered {

double portOffset(const SceneEdge& e, double userWidth) {
  return userWidth * ((e.port + 1.0) / (e.portCount + 1.0) - 0.5);
}

namespace {

// The longest span an edge may have and still be led through lanes, such that all lanes together stay linear in the
// graph. A range used by every kernel of a deep graph would otherwise fill every rank of it.
int32_t longestSpan(const SceneGraph& graph, const Adjacency& adjacency, const std::vector<int32_t>& ranks,
                    const std::vector<bool>& usable) {
  const size_t n = graph.nodes.size();
  const auto cost = [&](int32_t cap) {
    uint64_t lanes = 0, points = 0;
    for (size_t v = 0; v < n; v++) {
      int32_t longest = 1;
      for (uint32_t i = adjacency.userStart[v]; i < adjacency.userStart[v + 1]; i++) {
        const uint32_t e = adjacency.userEdges[i];
        const int32_t span = ranks[graph.edges[e].to] - ranks[v];
        if (!usable[e] || span > cap) continue;
        longest = std::max(longest, span);
        points += span - 1;
      }
      lanes += longest - 1;
    }
    return lanes + points / 4;
  };
  const uint64_t budget = 6 * n + 2000;
  int32_t low = 1, high = 1;
  for (size_t e = 0; e < graph.edges.size(); e++)
    if (usable[e]) high = std::max(high, ranks[graph.edges[e].to] - ranks[graph.edges[e].from]);
  if (cost(high) <= budget) return high;
  while (low + 1 < high) {
    const int32_t middle = low + (high - low) / 2;
    (cost(middle) <= budget ? low : high) = middle;
  }
  return low;
}

void index(size_t itemCount, const std::vector<Link>& links, uint32_t Link::*end, std::vector<uint32_t>& start,
           std::vector<uint32_t>& list) {
  start.assign(itemCount + 1, 0);
  for (const Link& l : links) start[l.*end + 1]++;
  std::partial_sum(start.begin(), start.end(), start.begin());
  list.resize(links.size());
  std::vector<uint32_t> next(start.begin(), start.end() - 1);
  for (uint32_t i = 0; i < links.size(); i++) list[next[links[i].*end]++] = i;
}

}  // namespace

Layered buildLayered(const SceneGraph& graph, const Adjacency& adjacency, const SourceOrder& order,
                     const std::vector<int32_t>& ranks, const Sizes& flowSizes) {
  Layered g;
  const size_t n = graph.nodes.size();
  g.nodeCount = static_cast<uint32_t>(n);
  if (n == 0) return g;
  const auto [least, most] = std::minmax_element(ranks.begin(), ranks.end());
  g.firstRank = *least;
  g.rowCount = static_cast<uint32_t>(*most - *least + 1);
  std::vector<bool> usable(graph.edges.size());
  for (size_t e = 0; e < usable.size(); e++)
    usable[e] = !order.backEdge[e] && ranks[graph.edges[e].to] > ranks[graph.edges[e].from];
  const int32_t cap = longestSpan(graph, adjacency, ranks, usable);

  g.items.reserve(n * 2);
  for (uint32_t v = 0; v < n; v++) g.items.push_back({v, ranks[v] - g.firstRank, flowSizes[v].w});
  g.laneStart.assign(n + 1, 0);
  g.express.assign(graph.edges.size(), false);
  for (uint32_t v = 0; v < n; v++) {
    int32_t longest = 1;
    for (uint32_t i = adjacency.userStart[v]; i < adjacency.userStart[v + 1]; i++) {
      const uint32_t e = adjacency.userEdges[i];
      const int32_t span = ranks[graph.edges[e].to] - ranks[v];
      if (!usable[e] || span > cap)
        g.express[e] = true;
      else
        longest = std::max(longest, span);
    }
    for (int32_t k = 1; k < longest; k++) g.items.push_back({v, ranks[v] - g.firstRank + k, 0});
    g.laneStart[v + 1] = static_cast<uint32_t>(g.items.size() - n);
  }

  for (uint32_t v = 0; v < n; v++)
    for (uint32_t lane = g.laneStart[v]; lane < g.laneStart[v + 1]; lane++)
      g.links.push_back({lane == g.laneStart[v] ? v : g.nodeCount + lane - 1, g.nodeCount + lane, 0, 0});
  // Users in order, their sources by port, so that the upward lists come out in port order.
  for (uint32_t u = 0; u < n; u++)
    for (uint32_t i = adjacency.sourceStart[u]; i < adjacency.sourceStart[u + 1]; i++) {
      const uint32_t e = adjacency.sourceEdges[i];
      if (g.express[e]) continue;
      const SceneEdge& edge = graph.edges[e];
      const int32_t span = ranks[u] - ranks[edge.from];
      const uint32_t upper = span == 1 ? edge.from : g.nodeCount + g.laneStart[edge.from] + span - 2;
      g.links.push_back({upper, u, static_cast<float>(portOffset(edge, flowSizes[u].w)), edge.port});
    }
  index(g.items.size(), g.links, &Link::upper, g.downStart, g.downLinks);
  index(g.items.size(), g.links, &Link::lower, g.upStart, g.upLinks);

  g.rowStart.assign(g.rowCount + 1, 0);
  for (const Item& item : g.items) g.rowStart[item.row + 1]++;
  std::partial_sum(g.rowStart.begin(), g.rowStart.end(), g.rowStart.begin());
  g.order.resize(g.items.size());
  std::vector<uint32_t> next(g.rowStart.begin(), g.rowStart.end() - 1);
  for (uint32_t i = 0; i < g.items.size(); i++) g.order[next[g.items[i].row]++] = i;
  g.work += g.items.size() + g.links.size();
  return g;
}

double separation(const Layered& g, uint32_t left, uint32_t right, const LayoutOptions& options) {
  const double gap = g.isLane(left) && g.isLane(right)   ? options.laneGap
                     : g.isLane(left) || g.isLane(right) ? (options.laneGap + options.nodeGap) / 2
                                                         : options.nodeGap;
  return (g.items[left].width + g.items[right].width) / 2 + gap;
}

}  // namespace rangescope::viewer::layered
