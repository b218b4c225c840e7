#include "viewer/layout/layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/viewer/layout/random_graph.h"

namespace rangescope::viewer {
namespace {

using testing::RandomGraph;
using testing::textSizes;

LayoutOptions own() {
  LayoutOptions options;
  options.dotNodes = 0;
  return options;
}

// Positions along the flow: where a node's sources come in and where its result goes out.
std::pair<double, double> flow(const Layout& l, uint32_t v) {
  const Rect& r = l.nodes[v];
  switch (l.direction) {
    case Direction::SourcesAbove:
      return {r.y, r.bottom()};
    case Direction::SourcesBelow:
      return {-r.bottom(), -r.y};
    case Direction::SourcesLeft:
      return {r.x, r.right()};
  }
  return {};
}

std::string overlap(const Layout& l, double margin) {
  std::vector<uint32_t> byX(l.nodes.size());
  for (uint32_t v = 0; v < byX.size(); v++) byX[v] = v;
  std::sort(byX.begin(), byX.end(), [&](uint32_t a, uint32_t b) { return l.nodes[a].x < l.nodes[b].x; });
  for (size_t i = 0; i < byX.size(); i++) {
    const Rect a = l.nodes[byX[i]].grown(margin);
    for (size_t k = i + 1; k < byX.size() && l.nodes[byX[k]].x < a.right(); k++)
      if (a.intersects(l.nodes[byX[k]])) return std::to_string(byX[i]) + " and " + std::to_string(byX[k]);
  }
  return "";
}

void expectSound(const SceneGraph& graph, const Layout& l, const std::string& what) {
  SCOPED_TRACE(what);
  ASSERT_EQ(l.nodes.size(), graph.nodes.size());
  ASSERT_EQ(l.edges.size(), graph.edges.size());
  EXPECT_EQ(overlap(l, 5), "");
  for (size_t e = 0; e < graph.edges.size(); e++) {
    const SceneEdge& edge = graph.edges[e];
    ASSERT_LT(l.ranks[edge.from], l.ranks[edge.to]) << "edge " << e;
    ASSERT_LT(flow(l, edge.from).second, flow(l, edge.to).first) << "edge " << e;
    ASSERT_GE(l.edges[e].count, 2u);
    const Point first = l.points[l.edges[e].first], last = l.points[l.edges[e].first + l.edges[e].count - 1];
    ASSERT_TRUE(l.nodes[edge.from].grown(0.01).contains(first)) << "edge " << e;
    ASSERT_TRUE(l.nodes[edge.to].grown(0.01).contains(last)) << "edge " << e;
  }
  for (const Rect& r : l.nodes) {
    ASSERT_TRUE(std::isfinite(r.x) && std::isfinite(r.y));
    ASSERT_TRUE(l.bounds.grown(0.01).contains({r.x, r.y}) && l.bounds.grown(0.01).contains({r.right(), r.bottom()}));
  }
}

TEST(Layout, RandomGraphsAreSound) {
  for (uint32_t seed = 1; seed <= 12; seed++)
    for (uint32_t nodes : {1u, 2u, 17u, 120u, 900u})
      for (Direction direction : {Direction::SourcesAbove, Direction::SourcesBelow, Direction::SourcesLeft}) {
        const SceneGraph graph = RandomGraph{nodes, seed}.make();
        LayoutOptions options = own();
        options.direction = direction;
        const auto l = layout(graph, textSizes(graph), nullptr, options);
        ASSERT_TRUE(l);
        expectSound(graph, *l, "seed " + std::to_string(seed) + ", nodes " + std::to_string(nodes));
      }
}

TEST(Layout, DotIsSoundAndUsedForSmallGraphs) {
  for (uint32_t seed = 1; seed <= 4; seed++) {
    const SceneGraph graph = RandomGraph{80, seed}.make();
    LayoutOptions options;
    options.dotSeconds = 60;
    const auto l = layout(graph, textSizes(graph), nullptr, options);
    ASSERT_TRUE(l);
    EXPECT_EQ(l->engine, LayoutEngine::Dot);
    expectSound(graph, *l, "dot, seed " + std::to_string(seed));
  }
}

TEST(Layout, DotOverItsBudgetIsReplacedByOurOwn) {
  const SceneGraph graph = RandomGraph{250, 1}.make();
  LayoutOptions options;
  options.dotSeconds = 0;
  const auto l = layout(graph, textSizes(graph), nullptr, options);
  ASSERT_TRUE(l);
  EXPECT_EQ(l->engine, LayoutEngine::Layered);
}

TEST(Layout, EqualInputGivesEqualBytes) {
  for (uint32_t nodes : {60u, 700u}) {
    const SceneGraph graph = RandomGraph{nodes, 5}.make();
    const auto a = layout(graph, textSizes(graph), nullptr, own()), b = layout(graph, textSizes(graph), nullptr, own());
    EXPECT_EQ(a->nodes, b->nodes);
    EXPECT_EQ(a->points, b->points);
  }
}

TEST(Layout, EdgesKeepClearOfNodes) {
  for (uint32_t seed = 1; seed <= 6; seed++) {
    const SceneGraph graph = RandomGraph{150, seed}.make();
    const auto l = layout(graph, textSizes(graph), nullptr, own());
    for (size_t e = 0; e < graph.edges.size(); e++) {
      const EdgePath& path = l->edges[e];
      if (path.express) continue;
      for (uint32_t k = 0; k + 1 < path.count; k++) {
        const Point a = l->points[path.first + k], b = l->points[path.first + k + 1];
        for (int t = 1; t < 20; t++) {
          const Point p{a.x + (b.x - a.x) * t / 20, a.y + (b.y - a.y) * t / 20};
          for (uint32_t v = 0; v < graph.nodes.size(); v++)
            ASSERT_FALSE(l->nodes[v].grown(-0.5).contains(p)) << "seed " << seed << " edge " << e << " node " << v;
        }
      }
    }
  }
}

TEST(Layout, PortsComeInSourceOrder) {
  const SceneGraph graph = RandomGraph{300, 9}.make();
  const auto l = layout(graph, textSizes(graph), nullptr, own());
  const Adjacency adjacency(graph);
  for (uint32_t u = 0; u < graph.nodes.size(); u++)
    for (uint32_t i = adjacency.sourceStart[u]; i + 1 < adjacency.sourceStart[u + 1]; i++) {
      const EdgePath &a = l->edges[adjacency.sourceEdges[i]], &b = l->edges[adjacency.sourceEdges[i + 1]];
      EXPECT_LT(l->points[a.first + a.count - 1].x, l->points[b.first + b.count - 1].x);
    }
}

TEST(Layout, ReplacingALeafMovesNothingElse) {
  for (uint32_t seed = 1; seed <= 60; seed++) {
    SceneGraph graph = RandomGraph{200, seed}.make();
    const Sizes sizes = textSizes(graph);
    const auto before = layout(graph, sizes, nullptr, own());
    const Adjacency adjacency(graph);
    uint32_t leaf = 2 * seed;
    while (adjacency.sourceStart[leaf] != adjacency.sourceStart[leaf + 1] ||
           adjacency.userStart[leaf] == adjacency.userStart[leaf + 1])
      leaf++;
    graph.nodes[leaf].key = 1;
    const auto after = layout(graph, sizes, &*before, own());
    EXPECT_EQ(after->engine, LayoutEngine::Anchored);
    expectSound(graph, *after, "seed " + std::to_string(seed));
    for (uint32_t v = 0; v < graph.nodes.size(); v++)
      ASSERT_TRUE(v == leaf || before->nodes[v] == after->nodes[v]) << "seed " << seed << " node " << v;
  }
}

TEST(Layout, TheSameGraphStaysExactlyWhereItIs) {
  for (Direction direction : {Direction::SourcesAbove, Direction::SourcesBelow, Direction::SourcesLeft}) {
    const SceneGraph graph = RandomGraph{400, 2}.make();
    LayoutOptions options = own();
    options.direction = direction;
    const auto before = layout(graph, textSizes(graph), nullptr, options);
    const auto after = layout(graph, textSizes(graph), &*before, options);
    EXPECT_EQ(before->nodes, after->nodes);
    EXPECT_EQ(before->points, after->points);
  }
}

// A rewrite like those of a trace: one node gives way to a chain of new ones over the same sources.
SceneGraph rewritten(const SceneGraph& graph, uint32_t node, uint32_t newKey, uint32_t chain) {
  SceneGraph next = graph;
  next.nodes[node].key = newKey;
  uint32_t last = node;
  for (uint32_t k = 1; k < chain; k++) {
    SceneNode extra = graph.nodes[node];
    extra.key = newKey + k;
    next.nodes.push_back(extra);
    const auto at = static_cast<uint32_t>(next.nodes.size() - 1);
    for (SceneEdge& e : next.edges)
      if (e.from == last) e.from = at;
    next.edges.push_back({last, at, 0, 1, EdgeState::Normal});
    last = at;
  }
  return next;
}

TEST(Layout, AWalkThroughManyStepsStaysSoundAndCalm) {
  SceneGraph graph = RandomGraph{300, 4}.make();
  auto before = layout(graph, textSizes(graph), nullptr, own());
  std::mt19937 random(7);
  size_t stayed = 0, all = 0;
  for (uint32_t step = 0; step < 60; step++) {
    const SceneGraph next = rewritten(graph, random() % graph.nodes.size(), 1'000'000 + step * 10, 1 + step % 3);
    const SceneGraph shown = withGhosts(graph, next);
    const auto after = layout(shown, textSizes(shown), &*before, own());
    expectSound(shown, *after, "step " + std::to_string(step));
    const KeyIndex index(before->keys);
    for (uint32_t v = 0; v < shown.nodes.size(); v++)
      if (const auto was = index.find(shown.nodes[v].key)) {
        all++;
        stayed += std::abs(before->nodes[*was].x - after->nodes[v].x) < 0.5;
      }
    graph = next;
    before = after;
  }
  // Of all survivors in all steps, nearly all keep their column.
  EXPECT_GT(stayed, all * 95 / 100);
}

TEST(Layout, WorkGrowsNearlyLinearly) {
  const auto work = [](uint32_t nodes, const Layout* previous) {
    const SceneGraph graph = RandomGraph{nodes, 3, 12, 0}.make();
    return static_cast<double>(layout(graph, textSizes(graph), previous, own())->work);
  };
  EXPECT_LT(work(8000, nullptr), 4 * 1.6 * work(2000, nullptr));
  EXPECT_LT(work(20000, nullptr), 10 * 2 * work(2000, nullptr));
}

TEST(Layout, LongEdgesDoNotExplode) {
  // A deep chain, and leaves that every link of it uses.
  SceneGraph graph;
  for (uint32_t leaf = 0; leaf < 20; leaf++) graph.nodes.push_back({leaf, "RANGE", {}});
  for (uint32_t k = 0; k < 2000; k++) {
    const auto v = static_cast<uint32_t>(graph.nodes.size());
    graph.nodes.push_back({v, "ADD", {}});
    if (k > 0) graph.edges.push_back({v - 1, v, 0, 2, EdgeState::Normal});
    graph.edges.push_back({k % 20, v, 1, 2, EdgeState::Normal});
  }
  const auto l = layout(graph, textSizes(graph), nullptr, own());
  expectSound(graph, *l, "deep");
  EXPECT_LE(l->laneX.size(), 6 * graph.nodes.size() + 2000);
  EXPECT_LE(l->points.size(), 40 * graph.nodes.size());
}

TEST(Layout, CyclesAndDoubledEdgesAreDrawn) {
  SceneGraph graph;
  for (uint32_t v = 0; v < 4; v++) graph.nodes.push_back({v, "ADD", {}});
  graph.edges = {{0, 1, 0, 2}, {0, 1, 1, 2}, {1, 2, 0, 1}, {2, 0, 0, 1}, {3, 3, 0, 1}};
  for (const LayoutOptions& options : {own(), LayoutOptions{}}) {
    const auto l = layout(graph, textSizes(graph), nullptr, options);
    ASSERT_TRUE(l);
    EXPECT_EQ(overlap(*l, 5), "");
    for (const EdgePath& path : l->edges) EXPECT_GE(path.count, 2u);
  }
}

TEST(Layout, ChainsAreStraight) {
  SceneGraph graph;
  for (uint32_t v = 0; v < 50; v++) {
    graph.nodes.push_back({v, v % 2 ? "RESHAPE" : "ADD", {v % 3 ? "float32 (64, 64)" : "int"}});
    if (v > 0) graph.edges.push_back({v - 1, v, 0, 1});
  }
  const auto l = layout(graph, textSizes(graph), nullptr, own());
  for (const Rect& r : l->nodes) EXPECT_NEAR(r.center().x, l->nodes[0].center().x, 1e-6);
}

TEST(Layout, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  const SceneGraph graph = RandomGraph{3000, 1}.make();
  EXPECT_FALSE(layout(graph, textSizes(graph), nullptr, own(), source.get_token()));
}

TEST(Layout, AnEmptyGraphIsAnEmptyPicture) {
  const auto l = layout({}, {}, nullptr, own());
  ASSERT_TRUE(l);
  EXPECT_TRUE(l->nodes.empty());
  const SceneGraph graph = RandomGraph{30, 1}.make();
  EXPECT_TRUE(layout(graph, textSizes(graph), &*l, own()));
}

}  // namespace
}  // namespace rangescope::viewer
