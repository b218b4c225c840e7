#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "viewer/layout/layout.h"

// The working graph of the layered layout and its passes, private to viewer/layout. Across is the axis along a rank,
// down the axis of the flow from sources to users; only route.cpp turns them into the asked direction.
namespace rangescope::viewer::layered {

// Order in which a reader who follows sources in port order from the roots meets things.
struct SourceOrder {
  std::vector<uint32_t> topological;  // nodes, sources before users
  std::vector<uint32_t> nodeVisit;    // by node: when it was first met
  std::vector<uint32_t> edgeVisit;    // by edge: on the same clock
  std::vector<bool> backEdge;         // by edge: against the flow, does not count for ranks
};
SourceOrder sourceOrder(const SceneGraph& graph, const Adjacency& adjacency);

// Ranks for a first layout: every node close above its nearest user, moved up where that shortens edges.
std::vector<int32_t> freshRanks(const SceneGraph& graph, const Adjacency& adjacency, const SourceOrder& order);
// Ranks that change as few survivors as possible. `before[v]` is a survivor's rank, kNoRank for a new node.
constexpr int32_t kNoRank = INT32_MIN;
std::vector<int32_t> anchoredRanks(const SceneGraph& graph, const Adjacency& adjacency, const SourceOrder& order,
                                   const std::vector<int32_t>& before);
// Sum of the ranks that edges pass without need.
uint64_t stretch(const SceneGraph& graph, const SourceOrder& order, const std::vector<int32_t>& ranks);

// Something with a place in a rank: a node, or a lane, where the edges of one source pass a rank.
struct Item {
  uint32_t owner;  // the node, or the lane's source
  int32_t row;     // rank - firstRank
  double width;
};

// Part of an edge between neighbouring rows. Bundled: all edges of a source share its lanes.
struct Link {
  uint32_t upper;  // item
  uint32_t lower;  // item
  float offset;    // where it enters the lower item, from its middle
  uint16_t port;
};

struct Layered {
  uint32_t nodeCount = 0;  // items below this are the nodes, in order
  int32_t firstRank = 0;
  uint32_t rowCount = 0;
  std::vector<Item> items;
  std::vector<uint32_t>
      laneStart;              // by node, one more: its lanes are items nodeCount + [laneStart[v], laneStart[v + 1])
  std::vector<bool> express;  // by edge
  std::vector<Link> links;
  std::vector<uint32_t> downStart, downLinks;  // by item: links in which it is the upper one
  std::vector<uint32_t> upStart, upLinks;      // by item: links in which it is the lower one, in port order
  std::vector<uint32_t> rowStart, order;       // items of each row from left to right
  uint64_t work = 0;

  bool isLane(uint32_t item) const { return item >= nodeCount; }
  std::span<uint32_t> row(uint32_t r) { return {order.data() + rowStart[r], order.data() + rowStart[r + 1]}; }
  std::span<const uint32_t> row(uint32_t r) const {
    return {order.data() + rowStart[r], order.data() + rowStart[r + 1]};
  }
  std::span<const uint32_t> down(uint32_t i) const {
    return {downLinks.data() + downStart[i], downLinks.data() + downStart[i + 1]};
  }
  std::span<const uint32_t> up(uint32_t i) const {
    return {upLinks.data() + upStart[i], upLinks.data() + upStart[i + 1]};
  }
};

// Across positions of ports: where edge `e` enters its user, from the user's middle.
double portOffset(const SceneEdge& e, double userWidth);

Layered buildLayered(const SceneGraph& graph, const Adjacency& adjacency, const SourceOrder& order,
                     const std::vector<int32_t>& ranks, const Sizes& flowSizes);

// Rows in source order; the start of every other order.
void orderBySource(Layered& g, const SceneGraph& graph, const Adjacency& adjacency, const SourceOrder& order);
// A fixed number of barycentre sweeps from there, keeping the order with the fewest crossings. False when stopped.
bool reduceCrossings(Layered& g, uint32_t sweeps, const std::stop_token& stop);
uint64_t countCrossings(const Layered& g);

// Least distance between the middles of two neighbours of a row.
double separation(const Layered& g, uint32_t left, uint32_t right, const LayoutOptions& options);

// Brandes and Koepf: middles of the items, for a given order.
std::vector<double> coordinates(Layered& g, const LayoutOptions& options);

// A fixed number of sweeps that draw items towards their neighbours, order kept: narrower than alignment alone.
void settle(Layered& g, std::vector<double>& x, const LayoutOptions& options);

// Makes long edges upright where there is room, with few bends, instead of leaning a little in every rank.
void straighten(Layered& g, std::vector<double>& x, const LayoutOptions& options);

// Where items should be, how much they insist, and, after anchor(), where they are.
struct Hints {
  std::vector<double> x;       // wanted middle, by item
  std::vector<double> weight;  // 0: no hint yet; kSurvivor and above: stays unless there is no room
};
constexpr double kSurvivor = 1000;
constexpr double kMoved = 50;
constexpr double kLane = 20;
constexpr double kNew = 1;
// Hints for what has none from its neighbours, order by hint, and places with room for all.
std::vector<double> anchor(Layered& g, const SourceOrder& order, Hints hints, const LayoutOptions& options);

// Down positions of the rows; `previous` keeps them where they were.
std::vector<RankBand> rankBands(const Layered& g, const std::vector<double>& x, const Sizes& flowSizes,
                                const Layout* previous, const LayoutOptions& options);

// Fills nodes, edges, points, bounds and the continuation of a layout.
void route(const Layered& g, const SceneGraph& graph, const Adjacency& adjacency, const std::vector<double>& x,
           const Sizes& flowSizes, const LayoutOptions& options, Layout& out);

// What Graphviz says of a small graph: ranks, middles of nodes, and of the lanes through the ranks.
struct DotPlaces {
  std::vector<int32_t> ranks;
  std::vector<double> x;
  struct Bend {
    int32_t rank;
    double x;
  };
  std::vector<std::vector<Bend>> edges;  // by edge: where it passes ranks between its ends
};
// Nothing when Graphviz fails, is busy for longer than options.dotSeconds, or the caller stops.
std::optional<DotPlaces> dotPlaces(const SceneGraph& graph, const SourceOrder& order, const Sizes& flowSizes,
                                   const LayoutOptions& options, const std::stop_token& stop);

}  // namespace rangescope::viewer::layered
