#include "tests/viewer/bench/layout_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <span>

#include "tests/viewer/layout/random_graph.h"
#include "viewer/layout/layout.h"

namespace rangescope::viewer {
namespace {

LayoutOptions ourOwn() {
  LayoutOptions options;
  options.dotNodes = 0;
  return options;
}

SceneGraph randomGraph(uint32_t nodes, uint32_t seed) {
  testing::RandomGraph graph;
  graph.nodes = nodes;
  graph.seed = seed;
  return graph.make();
}

Measured firstLayout(uint32_t nodes, double bar) {
  const SceneGraph graph = randomGraph(nodes, 11);
  const Sizes sizes = testing::textSizes(graph);
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double start = cpuMs();
    if (layout(graph, sizes, nullptr, ourOwn())) best = std::min(best, cpuMs() - start);
  }
  return {fmt::format("first layout of {} nodes", nodes), best, bar};
}

// What a match does: a node goes, another takes its place, which reads two more.
Measured steps(uint32_t nodes, double bar) {
  SceneGraph graph = randomGraph(nodes, 5);
  std::optional<Layout> placed = layout(graph, testing::textSizes(graph), nullptr, ourOwn());
  std::mt19937 random(1);
  std::vector<double> times;
  for (uint32_t step = 0; step < 40 && placed; ++step) {
    const auto at = static_cast<uint32_t>(nodes / 4 + random() % (nodes / 2));
    graph.nodes[at].key = 1000000 + step;
    graph.nodes[at].title = "NEW";
    for (int i = 0; i < 2; ++i)
      graph.edges.push_back({at - 1 - static_cast<uint32_t>(random() % 10), at, 3, 4, EdgeState::Normal});
    const Sizes sizes = testing::textSizes(graph);
    const double start = cpuMs();
    placed = layout(graph, sizes, &*placed, ourOwn());
    times.push_back(cpuMs() - start);
  }
  std::ranges::sort(times);
  return {fmt::format("layout of a step of {} nodes, median", nodes), times[times.size() / 2], bar};
}

struct Quality {
  double crossings = 0;
  double length = 0;
};

bool cross(Point a, Point b, Point c, Point d) {
  const auto side = [](Point p, Point q, Point r) { return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x); };
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

// Crossings of edges that have no node in common, and the length of all edges.
Quality qualityOf(const SceneGraph& graph, const Layout& l) {
  Quality q;
  const auto points = [&](size_t e) { return std::span(l.points).subspan(l.edges[e].first, l.edges[e].count); };
  for (size_t e = 0; e < l.edges.size(); ++e) {
    const auto p = points(e);
    for (size_t i = 1; i < p.size(); ++i) q.length += std::hypot(p[i].x - p[i - 1].x, p[i].y - p[i - 1].y);
    for (size_t f = e + 1; f < l.edges.size(); ++f) {
      const SceneEdge &a = graph.edges[e], &b = graph.edges[f];
      if (a.from == b.from || a.to == b.to || a.from == b.to || a.to == b.from) continue;
      const auto r = points(f);
      for (size_t i = 1; i < p.size(); ++i)
        for (size_t k = 1; k < r.size(); ++k) q.crossings += cross(p[i - 1], p[i], r[k - 1], r[k]) ? 1 : 0;
    }
  }
  return q;
}

// Ours by dot's, over graphs that dot can do.
std::vector<Measured> besideDot() {
  Quality ours, dots;
  int graphs = 0;
  for (const uint32_t nodes : {30U, 60U, 100U, 150U})
    for (uint32_t seed = 1; seed <= 5; ++seed) {
      const SceneGraph graph = randomGraph(nodes, seed);
      const Sizes sizes = testing::textSizes(graph);
      LayoutOptions dot;
      dot.dotSeconds = 60;
      const auto a = layout(graph, sizes, nullptr, ourOwn());
      const auto b = layout(graph, sizes, nullptr, dot);
      if (!a || !b || b->engine != LayoutEngine::Dot) continue;
      ++graphs;
      const Quality x = qualityOf(graph, *a), y = qualityOf(graph, *b);
      ours.crossings += x.crossings;
      ours.length += x.length;
      dots.crossings += y.crossings;
      dots.length += y.length;
    }
  constexpr double kWorst = 4.0 / 3.0;
  return {
      {fmt::format("crossings of edges beside dot's, {} graphs", graphs), ours.crossings / dots.crossings, kWorst, "x"},
      {"length of edges beside dot's", ours.length / dots.length, kWorst, "x"}};
}

}  // namespace

std::vector<Measured> measureLayouts() {
  std::vector<Measured> all{firstLayout(1000, 100), firstLayout(10000, 1000), steps(3500, 16)};
  for (Measured& m : besideDot()) all.push_back(std::move(m));
  return all;
}

}  // namespace rangescope::viewer
