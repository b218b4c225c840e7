#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "viewer/layout/geometry.h"
#include "viewer/layout/graph.h"

namespace rangescope::viewer {

enum class Direction : uint8_t { SourcesAbove, SourcesBelow, SourcesLeft };

// Who chose ranks and order: dot (small graphs, no step before), our own passes, or the step before.
enum class LayoutEngine : uint8_t { Dot, Layered, Anchored };

struct LayoutOptions {
  Direction direction = Direction::SourcesAbove;
  uint32_t dotNodes = 300;     // largest graph given to Graphviz when there is no step before; 0: never
  double dotSeconds = 0.4;     // waited for Graphviz before our own layout is taken instead
  uint32_t sweeps = 8;         // ordering passes of a first layout; 0 keeps source order
  double nodeGap = 24;         // between neighbours of a rank
  double laneGap = 12;         // between an edge passing a rank and its neighbours
  double rankGap = 40;         // least height between ranks, where edges turn
  double keepSurvivors = 0.3;  // a step before that shares less than this part of the nodes is no anchor
};

struct EdgePath {
  uint32_t first = 0;    // into Layout::points
  uint32_t count = 0;    // 2 or more points, from the source's border to the user's port
  bool express = false;  // too long to be led around the nodes between: drawn straight, behind them
};

// A rank's place along the flow (top to bottom when sources are above).
struct RankBand {
  double top = 0;
  double height = 0;
};

// One picture's positions. Immutable once made; the next step's layout is anchored to it.
struct Layout {
  Direction direction = Direction::SourcesAbove;
  LayoutEngine engine = LayoutEngine::Layered;
  std::vector<uint32_t> keys;   // of the nodes, by node index
  std::vector<Rect> nodes;      // by node index
  std::vector<EdgePath> edges;  // by edge index
  std::vector<Point> points;
  Rect bounds;

  // What the next step continues from.
  std::vector<int32_t> ranks;  // by node index; sources have lower ranks than users
  int32_t firstRank = 0;       // rank of bands[0]
  std::vector<RankBand> bands;
  std::vector<uint32_t>
      laneStart;              // by node index, one more: into laneX, places of its edges in the ranks after its own
  std::vector<double> laneX;  // across the flow
  uint64_t stretch = 0;       // ranks passed by edges without need, when ranks were last chosen afresh
  uint64_t work = 0;          // elementary operations done, for tests of growth
};

// Places a graph. Deterministic: equal arguments give equal bytes. With `previous`, nodes of both stay where they are
// as far as the new graph lets them. Returns nothing when stopped. Safe to call from any thread.
// Edges against the flow (a cycle in a broken trace) are drawn and otherwise ignored.
std::optional<Layout> layout(const SceneGraph& graph, const Sizes& sizes, const Layout* previous,
                             const LayoutOptions& options, const std::stop_token& stop = {});

}  // namespace rangescope::viewer
