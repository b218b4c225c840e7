#include <algorithm>
#include <cstdlib>

#include "viewer/layout/layered.h"

namespace rangescope::viewer::layered {

SourceOrder sourceOrder(const SceneGraph& graph, const Adjacency& adjacency) {
  const size_t n = graph.nodes.size();
  SourceOrder order;
  order.topological.reserve(n);
  order.nodeVisit.assign(n, 0);
  order.edgeVisit.assign(graph.edges.size(), 0);
  order.backEdge.assign(graph.edges.size(), false);
  enum : uint8_t { kUnseen, kOpen, kDone };
  std::vector<uint8_t> state(n, kUnseen);
  struct Frame {
    uint32_t node;
    uint32_t next;
  };
  std::vector<Frame> stack;
  uint32_t clock = 0;
  const auto visit = [&](uint32_t root) {
    if (state[root] != kUnseen) return;
    const auto open = [&](uint32_t v) {
      state[v] = kOpen;
      order.nodeVisit[v] = clock++;
      stack.push_back({v, adjacency.sourceStart[v]});
    };
    open(root);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next == adjacency.sourceStart[frame.node + 1]) {
        state[frame.node] = kDone;
        order.topological.push_back(frame.node);
        stack.pop_back();
        continue;
      }
      const uint32_t e = adjacency.sourceEdges[frame.next++];
      const uint32_t source = graph.edges[e].from;
      order.edgeVisit[e] = clock++;
      if (state[source] == kOpen) order.backEdge[e] = true;
      if (state[source] == kUnseen) open(source);
    }
  };
  for (uint32_t r : graph.roots) visit(r);
  for (uint32_t v = 0; v < n; v++)
    if (adjacency.userStart[v] == adjacency.userStart[v + 1]) visit(v);
  for (uint32_t v = 0; v < n; v++) visit(v);
  return order;
}

namespace {

struct Ranker {
  const SceneGraph& graph;
  const Adjacency& adjacency;
  const SourceOrder& order;

  template <class F>
  void eachSource(uint32_t v, F f) const {
    for (uint32_t i = adjacency.sourceStart[v]; i < adjacency.sourceStart[v + 1]; i++)
      if (const uint32_t e = adjacency.sourceEdges[i]; !order.backEdge[e]) f(graph.edges[e].from);
  }
  template <class F>
  void eachUser(uint32_t v, F f) const {
    for (uint32_t i = adjacency.userStart[v]; i < adjacency.userStart[v + 1]; i++)
      if (const uint32_t e = adjacency.userEdges[i]; !order.backEdge[e]) f(graph.edges[e].to);
  }
  bool isLeaf(uint32_t v) const {
    bool leaf = true;
    eachSource(v, [&](uint32_t) { leaf = false; });
    return leaf;
  }
  // Sources that would have to be stretched if the user moved down alone: leaves of one user follow it.
  uint32_t anchoredSources(uint32_t v) const {
    uint32_t count = 0;
    eachSource(v, [&](uint32_t s) {
      if (adjacency.userStart[s + 1] - adjacency.userStart[s] > 1 || !isLeaf(s)) count++;
    });
    return count;
  }
  uint32_t userCount(uint32_t v) const {
    uint32_t count = 0;
    eachUser(v, [&](uint32_t) { count++; });
    return count;
  }
};

// Shortens edges the way a network simplex does, but all cuts of one direction at once and for a fixed number of
// rounds: a tree of edges without slack spans what moves together, and cutting one of its edges frees a part that may
// move by its least slack. A part gains from moving up when more edges enter than leave it.
class TightTrees {
 public:
  TightTrees(const SceneGraph& graph, const Adjacency& adjacency, const SourceOrder& order, std::vector<int32_t>& rank)
      : graph_(graph), adjacency_(adjacency), order_(order), rank_(rank) {}

  void run() {
    constexpr int kRounds = 24;
    for (int round = 0, idle = 0; round < kRounds && idle < 2; round++) {
      span();
      idle = moveParts(round % 2 == 0) ? 0 : idle + 1;
    }
  }

 private:
  static constexpr uint32_t kNone = ~0u;

  template <class F>
  void eachEdge(uint32_t v, F f) const {  // f(edge, other end, whether v is its source)
    for (uint32_t i = adjacency_.sourceStart[v]; i < adjacency_.sourceStart[v + 1]; i++)
      if (const uint32_t e = adjacency_.sourceEdges[i]; !order_.backEdge[e]) f(graph_.edges[e].from, false);
    for (uint32_t i = adjacency_.userStart[v]; i < adjacency_.userStart[v + 1]; i++)
      if (const uint32_t e = adjacency_.userEdges[i]; !order_.backEdge[e]) f(graph_.edges[e].to, true);
  }

  // Breadth-first trees of edges without slack, from the outputs; and in each part, edges out of it less edges into it.
  void span() {
    const size_t n = rank_.size();
    parent_.assign(n, kNone), viaUser_.assign(n, false), seen_.assign(n, false), balance_.assign(n, 0);
    walk_.clear();
    for (size_t i = n; i-- > 0;) {
      const uint32_t start = order_.topological[i];
      if (seen_[start]) continue;
      seen_[start] = true;
      size_t head = walk_.size();
      walk_.push_back(start);
      for (; head < walk_.size(); head++) {
        const uint32_t v = walk_[head];
        eachEdge(v, [&](uint32_t w, bool source) {
          balance_[v] += source ? 1 : -1;
          if (seen_[w] || (source ? rank_[w] - rank_[v] : rank_[v] - rank_[w]) != 1) return;
          seen_[w] = true, parent_[w] = v, viaUser_[w] = !source;
          walk_.push_back(w);
        });
      }
    }
    for (size_t i = n; i-- > 0;)
      if (parent_[walk_[i]] != kNone) balance_[parent_[walk_[i]]] += balance_[walk_[i]];
    // Children of each node, in walk order, so that a part can be listed.
    childStart_.assign(n + 1, 0);
    for (uint32_t v : walk_)
      if (parent_[v] != kNone) childStart_[parent_[v] + 1]++;
    for (size_t v = 0; v < n; v++) childStart_[v + 1] += childStart_[v];
    children_.resize(childStart_[n]);
    next_.assign(childStart_.begin(), childStart_.end() - 1);
    for (uint32_t v : walk_)
      if (parent_[v] != kNone) children_[next_[parent_[v]]++] = v;
  }

  // Moves the largest parts that gain, all up or all down: then no two can get into each other's way.
  bool moveParts(bool up) {
    bool any = false;
    part_.assign(rank_.size(), kNone);
    shift_.clear();
    for (uint32_t v : walk_) {
      if (parent_[v] != kNone && part_[parent_[v]] != kNone) {
        part_[v] = part_[parent_[v]];
        continue;
      }
      const bool free = parent_[v] == kNone || viaUser_[v] == up;
      if (!free || (up ? balance_[v] >= 0 : balance_[v] <= 0)) continue;
      if (const int32_t room = roomOf(v, up); room > 0 && room < INT32_MAX) {
        part_[v] = static_cast<uint32_t>(shift_.size());
        shift_.push_back(up ? -room : room);
        any = true;
      }
    }
    for (uint32_t v : walk_)
      if (part_[v] != kNone) rank_[v] += shift_[part_[v]];
    return any;
  }

  int32_t roomOf(uint32_t top, bool up) {
    list_.assign(1, top);
    // Members carry this part's mark while its edges are looked at.
    stamp_.resize(rank_.size(), 0);
    clock_++;
    stamp_[top] = clock_;
    for (size_t i = 0; i < list_.size(); i++)
      for (uint32_t c = childStart_[list_[i]]; c < childStart_[list_[i] + 1]; c++) {
        stamp_[children_[c]] = clock_;
        list_.push_back(children_[c]);
      }
    int32_t room = INT32_MAX;
    for (uint32_t v : list_)
      eachEdge(v, [&](uint32_t w, bool source) {
        if (stamp_[w] == clock_ || source == up) return;
        room = std::min(room, std::abs(rank_[w] - rank_[v]) - 1);
      });
    return room;
  }

  const SceneGraph& graph_;
  const Adjacency& adjacency_;
  const SourceOrder& order_;
  std::vector<int32_t>& rank_;
  std::vector<uint32_t> parent_, walk_, childStart_, children_, next_, part_, list_, stamp_;
  std::vector<bool> viaUser_, seen_;
  std::vector<int32_t> balance_, shift_;
  uint32_t clock_ = 0;
};

}  // namespace

std::vector<int32_t> freshRanks(const SceneGraph& graph, const Adjacency& adjacency, const SourceOrder& order) {
  const Ranker ranker{graph, adjacency, order};
  std::vector<int32_t> rank(graph.nodes.size(), 0);
  const auto belowUsers = [&](uint32_t v) {
    int32_t best = INT32_MAX;
    ranker.eachUser(v, [&](uint32_t u) { best = std::min(best, rank[u] - 1); });
    return best;
  };
  // As late as possible: outputs stand in the last rank, all else directly above its nearest user.
  for (size_t i = order.topological.size(); i-- > 0;) {
    const uint32_t v = order.topological[i];
    if (const int32_t at = belowUsers(v); at != INT32_MAX) rank[v] = at;
  }
  TightTrees(graph, adjacency, order, rank).run();
  const int32_t least = rank.empty() ? 0 : *std::min_element(rank.begin(), rank.end());
  for (int32_t& r : rank) r -= least;
  return rank;
}

std::vector<int32_t> anchoredRanks(const SceneGraph& graph, const Adjacency& adjacency, const SourceOrder& order,
                                   const std::vector<int32_t>& before) {
  const Ranker ranker{graph, adjacency, order};
  // The last rank at which a node pushes no survivor down.
  std::vector<int64_t> high(graph.nodes.size(), INT64_MAX);
  for (size_t i = order.topological.size(); i-- > 0;) {
    const uint32_t v = order.topological[i];
    ranker.eachUser(v, [&](uint32_t u) {
      const int64_t at = before[u] != kNoRank ? before[u] : high[u];
      if (at != INT64_MAX) high[v] = std::min(high[v], at - 1);
    });
  }
  // What hangs on nothing stands with the outputs, as in a first layout.
  int32_t last = kNoRank;
  for (int32_t r : before) last = std::max(last, r);
  std::vector<int32_t> rank(graph.nodes.size(), 0);
  for (uint32_t v : order.topological) {
    int64_t low = INT64_MIN;
    ranker.eachSource(v, [&](uint32_t s) { low = std::max<int64_t>(low, rank[s] + 1); });
    int64_t at = low;
    if (before[v] != kNoRank) {
      at = std::max<int64_t>(low, before[v]);
    } else if (high[v] != INT64_MAX) {
      const bool late = low == INT64_MIN || ranker.anchoredSources(v) <= ranker.userCount(v);
      at = late ? std::max(low, high[v]) : low;
    }
    rank[v] = at == INT64_MIN ? last : static_cast<int32_t>(at);
  }
  // New nodes whose users were pushed down close up to them again.
  for (size_t i = order.topological.size(); i-- > 0;) {
    const uint32_t v = order.topological[i];
    if (before[v] != kNoRank) continue;
    int32_t below = INT32_MAX;
    ranker.eachUser(v, [&](uint32_t u) { below = std::min(below, rank[u] - 1); });
    if (below != INT32_MAX && ranker.anchoredSources(v) <= ranker.userCount(v)) rank[v] = std::max(rank[v], below);
  }
  return rank;
}

uint64_t stretch(const SceneGraph& graph, const SourceOrder& order, const std::vector<int32_t>& ranks) {
  uint64_t sum = 0;
  for (size_t e = 0; e < graph.edges.size(); e++)
    if (!order.backEdge[e]) sum += ranks[graph.edges[e].to] - ranks[graph.edges[e].from] - 1;
  return sum;
}

}  // namespace rangescope::viewer::layered
