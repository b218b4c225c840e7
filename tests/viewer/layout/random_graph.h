#pragma once

#include <algorithm>
#include <random>
#include <string>

#include "viewer/layout/graph.h"
#include "viewer/layout/layout.h"

namespace rangescope::viewer::testing {

// A graph shaped like a tensor program's: mostly short edges, leaves with one user, a few nodes used all over, and
// sources before users. The same seed gives the same graph on every machine (no std:: distributions).
struct RandomGraph {
  uint32_t nodes = 100;
  uint32_t seed = 1;
  uint32_t locality = 12;   // how far back a source usually is
  uint32_t farPercent = 4;  // sources from anywhere
  uint32_t leafPercent = 25;

  SceneGraph make() const {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % std::max(1u, n)); };
    static const char* const kOps[] = {"ADD", "MUL", "RESHAPE", "WHERE", "INDEX", "REDUCE", "LOAD", "STAGE", "CMPLT"};
    static const char* const kLeaves[] = {"CONST", "RANGE", "PARAM", "BUFFER"};
    SceneGraph graph;
    for (uint32_t v = 0; v < nodes; v++) {
      SceneNode node;
      node.key = 1000 + v * 7;
      const bool leaf = v < 2 || below(100) < leafPercent;
      node.title = leaf ? kLeaves[below(4)] : kOps[below(9)];
      node.lines = {"float32 (" + std::to_string(1 + below(64)) + ", 64)"};
      if (below(3) == 0) node.lines.push_back("r" + std::to_string(below(9)) + ", r" + std::to_string(below(9)));
      graph.nodes.push_back(node);
      if (leaf) continue;
      const auto count = static_cast<uint16_t>(1 + below(3));
      for (uint16_t p = 0; p < count; p++) {
        const uint32_t reach = below(100) < farPercent ? v : std::min(v, locality);
        graph.edges.push_back({v - 1 - below(reach), v, p, count, EdgeState::Normal});
      }
    }
    return graph;
  }
};

// Sizes as text would give them, without fonts.
inline Sizes textSizes(const SceneGraph& graph) {
  Sizes sizes;
  for (const SceneNode& node : graph.nodes) {
    size_t columns = node.title.size() + 1;
    for (const std::string& line : node.lines) columns = std::max(columns, line.size());
    const size_t rows = 1 + node.lines.size();
    sizes.push_back({16 + 7.0 * static_cast<double>(columns), 12 + 15.0 * static_cast<double>(rows)});
  }
  return sizes;
}

}  // namespace rangescope::viewer::testing
