#pragma once

#include "tests/viewer/layout/random_graph.h"
#include "viewer/canvas/op_style.h"
#include "viewer/canvas/scene_frame.h"

namespace rangescope::viewer::testing {

inline SceneGraph colored(SceneGraph graph) {
  for (SceneNode& node : graph.nodes) node.fill = opColor(node.title);
  return graph;
}

inline SceneGraph randomScene(uint32_t nodes, uint32_t seed) {
  return colored(RandomGraph{nodes, seed}.make());
}

inline LayoutOptions withoutDot() {
  LayoutOptions options;
  options.dotNodes = 0;
  return options;
}

// PARAM -> RESHAPE -> REDUCE -> ADD -> SINK with a CONST at the ADD; keys 1 to 6.
inline SceneGraph smallScene() {
  SceneGraph graph;
  const auto node = [&](uint32_t key, const char* title) {
    graph.nodes.push_back({.key = key, .title = title, .lines = {"float32 (64, 64)"}, .fill = opColor(title)});
  };
  node(1, "PARAM"), node(2, "RESHAPE"), node(3, "REDUCE"), node(4, "CONST"), node(5, "ADD"), node(6, "SINK");
  graph.edges = {{0, 1, 0, 1}, {1, 2, 0, 1}, {2, 4, 0, 2}, {3, 4, 1, 2}, {4, 5, 0, 1}};
  graph.roots = {5};
  return graph;
}

// The step after it: RESHAPE (2) has given way to PERMUTE (7).
inline SceneGraph smallSceneAfter() {
  SceneGraph graph = smallScene();
  graph.nodes[1].key = 7;
  graph.nodes[1].title = "PERMUTE";
  graph.nodes[1].state = NodeState::New;
  graph.edges[1].state = EdgeState::Resourced;
  return withGhosts(smallScene(), graph);
}

}  // namespace rangescope::viewer::testing
