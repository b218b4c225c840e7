#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rangescope::viewer {

// What the canvas draws: a neutral description of one picture of a graph, made by viewer/model out of a trace and
// understood by layout and canvas, which know nothing of the engine.

// Where a node stands in the step that is shown: untouched, what the rule matched, what it put in, what it took away.
enum class NodeState : uint8_t { Normal, Match, New, Ghost };
// Resourced: this edge is new between nodes that were both there before; drawn thick once.
enum class EdgeState : uint8_t { Normal, Resourced, Ghost };

// A small pill at a node's corner, such as an address space or an axis type.
struct SceneBadge {
  std::string text;
  uint32_t color = 0xff808080;  // 0xAARRGGBB
  bool operator==(const SceneBadge&) const = default;
};

struct SceneNode {
  uint32_t key = 0;                // identity of the node from step to step; unique in its graph
  std::string title;               // op name, drawn bold
  std::vector<std::string> lines;  // at most four short ones: dtype and shape, ranges, arg, index expression
  uint32_t fill = 0xffffffff;      // 0xAARRGGBB, by op
  NodeState state = NodeState::Normal;
  std::vector<SceneBadge> badges = {};
  double heat = -1;            // in the unit of the graph's scale; below 0: not measured
  std::string heatLabel = {};  // "1.24 ms ±0.05"
};

struct SceneEdge {
  uint32_t from = 0;       // index into nodes of the source
  uint32_t to = 0;         // index into nodes of the user
  uint16_t port = 0;       // which source of the user this is
  uint16_t portCount = 1;  // how many sources the user has, hidden ones included
  EdgeState state = EdgeState::Normal;
};

// What the heat of nodes means, for the legend: `title`, and `factor` times the heat in `unit`.
struct HeatScale {
  std::string title = "share of kernel time";
  std::string unit = "%";
  double factor = 100;
};

struct SceneGraph {
  std::vector<SceneNode> nodes;
  std::vector<SceneEdge> edges;  // any order; those of a user are taken by port
  std::vector<uint32_t> roots;   // indices of the outputs, in order; empty: the nodes without users
  HeatScale heatScale = {};
};

// Finds nodes by key, in two flat arrays (keys are sparse: they come from a store that holds every node of a trace).
class KeyIndex {
 public:
  KeyIndex() = default;
  explicit KeyIndex(const SceneGraph& graph);
  explicit KeyIndex(const std::vector<uint32_t>& keys);
  std::optional<uint32_t> find(uint32_t key) const;

 private:
  std::vector<uint32_t> keys_;
  std::vector<uint32_t> indices_;
};

// Edges by user (in port order) and by source, as offsets into flat lists of edge indices.
struct Adjacency {
  std::vector<uint32_t> sourceStart, sourceEdges;
  std::vector<uint32_t> userStart, userEdges;

  explicit Adjacency(const SceneGraph& graph);
};

// Drops edges that name no node, so that everything after can index freely. Traces come from strangers.
void dropBadEdges(SceneGraph& graph);

// `next` with what it lost since `previous` added as ghosts, edges included; ghosts of `previous` itself are gone.
SceneGraph withGhosts(const SceneGraph& previous, SceneGraph next);

// Indices, ascending, of the nodes within `hops` edges of `node`, both ways, itself included; at most `limit` nodes.
std::vector<uint32_t> neighbourhood(const SceneGraph& graph, uint32_t node, uint32_t hops, size_t limit = 400);

}  // namespace rangescope::viewer
