#include "viewer/layout/graph.h"

#include <gtest/gtest.h>

#include "tests/viewer/layout/random_graph.h"

namespace rangescope::viewer {
namespace {

SceneGraph chain(std::initializer_list<uint32_t> keys) {
  SceneGraph graph;
  for (uint32_t key : keys) {
    const auto v = static_cast<uint32_t>(graph.nodes.size());
    graph.nodes.push_back({key, "ADD", {}});
    if (v > 0) graph.edges.push_back({v - 1, v, 0, 1, EdgeState::Normal});
  }
  return graph;
}

TEST(KeyIndex, FindsEveryKeyAndNoOther) {
  const SceneGraph graph = testing::RandomGraph{500, 3}.make();
  const KeyIndex index(graph);
  for (uint32_t v = 0; v < graph.nodes.size(); v++) EXPECT_EQ(index.find(graph.nodes[v].key), v);
  EXPECT_FALSE(index.find(1));
}

TEST(Ghosts, WhatWentStaysForOneStep) {
  const SceneGraph first = chain({1, 2, 3}), second = chain({1, 9, 3}), third = chain({1, 9, 4});
  const SceneGraph shown = withGhosts(first, second);
  ASSERT_EQ(shown.nodes.size(), 4u);
  EXPECT_EQ(shown.nodes[3].key, 2u);
  EXPECT_EQ(shown.nodes[3].state, NodeState::Ghost);
  ASSERT_EQ(shown.edges.size(), 4u);
  EXPECT_EQ(shown.edges[2].from, 0u);
  EXPECT_EQ(shown.edges[2].to, 3u);
  EXPECT_EQ(shown.edges[3].to, 2u);
  EXPECT_EQ(shown.edges[3].state, EdgeState::Ghost);
  const SceneGraph next = withGhosts(shown, third);
  const KeyIndex index(next);
  EXPECT_FALSE(index.find(2));
  EXPECT_TRUE(index.find(3));
}

TEST(Neighbourhood, GoesBothWaysAndStopsAtItsLimits) {
  const SceneGraph graph = chain({1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(neighbourhood(graph, 3, 1), (std::vector<uint32_t>{2, 3, 4}));
  EXPECT_EQ(neighbourhood(graph, 0, 2), (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(neighbourhood(graph, 3, 100, 4).size(), 4u);
  EXPECT_TRUE(neighbourhood(graph, 99, 1).empty());
}

TEST(BadEdges, AreDropped) {
  SceneGraph graph = chain({1, 2});
  graph.edges.push_back({0, 7, 0, 1, EdgeState::Normal});
  graph.edges.push_back({0, 1, 65535, 1, EdgeState::Normal});
  graph.roots = {1, 9};
  dropBadEdges(graph);
  EXPECT_EQ(graph.edges.size(), 2u);
  EXPECT_EQ(graph.edges[1].portCount, 65535);
  EXPECT_EQ(graph.roots, std::vector<uint32_t>{1});
}

}  // namespace
}  // namespace rangescope::viewer
