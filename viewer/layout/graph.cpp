#include "viewer/layout/graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rangescope::viewer {

namespace {

std::vector<uint32_t> keysOf(const SceneGraph& graph) {
  std::vector<uint32_t> keys(graph.nodes.size());
  for (size_t i = 0; i < keys.size(); i++) keys[i] = graph.nodes[i].key;
  return keys;
}

}  // namespace

KeyIndex::KeyIndex(const SceneGraph& graph) : KeyIndex(keysOf(graph)) {}

KeyIndex::KeyIndex(const std::vector<uint32_t>& keys) {
  std::vector<uint64_t> packed(keys.size());
  for (size_t i = 0; i < keys.size(); i++) packed[i] = uint64_t{keys[i]} << 32 | i;
  if (!std::is_sorted(packed.begin(), packed.end())) std::sort(packed.begin(), packed.end());
  keys_.resize(keys.size());
  indices_.resize(keys.size());
  for (size_t i = 0; i < packed.size(); i++) {
    keys_[i] = static_cast<uint32_t>(packed[i] >> 32);
    indices_[i] = static_cast<uint32_t>(packed[i]);
  }
}

std::optional<uint32_t> KeyIndex::find(uint32_t key) const {
  const auto it = std::lower_bound(keys_.begin(), keys_.end(), key);
  if (it == keys_.end() || *it != key) return std::nullopt;
  return indices_[it - keys_.begin()];
}

Adjacency::Adjacency(const SceneGraph& graph) {
  const size_t n = graph.nodes.size();
  sourceStart.assign(n + 1, 0);
  userStart.assign(n + 1, 0);
  for (const SceneEdge& e : graph.edges) {
    sourceStart[e.to + 1]++;
    userStart[e.from + 1]++;
  }
  std::partial_sum(sourceStart.begin(), sourceStart.end(), sourceStart.begin());
  std::partial_sum(userStart.begin(), userStart.end(), userStart.begin());
  sourceEdges.resize(graph.edges.size());
  userEdges.resize(graph.edges.size());
  std::vector<uint32_t> sourceNext(sourceStart.begin(), sourceStart.end() - 1);
  std::vector<uint32_t> userNext(userStart.begin(), userStart.end() - 1);
  for (uint32_t i = 0; i < graph.edges.size(); i++) {
    sourceEdges[sourceNext[graph.edges[i].to]++] = i;
    userEdges[userNext[graph.edges[i].from]++] = i;
  }
  for (size_t v = 0; v < n; v++) {
    const auto first = sourceEdges.begin() + sourceStart[v], last = sourceEdges.begin() + sourceStart[v + 1];
    const auto byPort = [&](uint32_t a, uint32_t b) {
      const SceneEdge &ea = graph.edges[a], &eb = graph.edges[b];
      // A ghost edge shares its port with the edge that took its place; it comes after it.
      return ea.port != eb.port ? ea.port < eb.port : ea.state != eb.state ? ea.state < eb.state : a < b;
    };
    if (!std::is_sorted(first, last, byPort)) std::sort(first, last, byPort);
  }
}

void dropBadEdges(SceneGraph& graph) {
  const size_t n = graph.nodes.size();
  std::erase_if(graph.edges, [n](const SceneEdge& e) { return e.from >= n || e.to >= n; });
  std::erase_if(graph.roots, [n](uint32_t r) { return r >= n; });
  for (SceneEdge& e : graph.edges)
    if (e.port >= e.portCount) e.portCount = static_cast<uint16_t>(std::min(e.port + 1, 0xffff));
}

SceneGraph withGhosts(const SceneGraph& previous, SceneGraph next) {
  const KeyIndex index(next);
  const bool named = !next.roots.empty();
  SceneGraph merged = std::move(next);
  const uint32_t none = ~0u;
  std::vector<uint32_t> place(previous.nodes.size(), none);
  std::vector<bool> gone(previous.nodes.size(), false);
  for (uint32_t i = 0; i < previous.nodes.size(); i++) {
    const SceneNode& node = previous.nodes[i];
    if (const auto at = index.find(node.key)) {
      place[i] = *at;
    } else if (node.state != NodeState::Ghost) {
      place[i] = static_cast<uint32_t>(merged.nodes.size());
      gone[i] = true;
      merged.nodes.push_back(node);
      merged.nodes.back().state = NodeState::Ghost;
      merged.nodes.back().heat = -1;
    }
  }
  for (const SceneEdge& e : previous.edges) {
    if (e.state == EdgeState::Ghost || (!gone[e.from] && !gone[e.to])) continue;
    if (place[e.from] == none || place[e.to] == none) continue;
    merged.edges.push_back({place[e.from], place[e.to], e.port, e.portCount, EdgeState::Ghost});
  }
  if (!named) return merged;
  // Gone roots stay outputs of the picture, so that their ghosts are placed where they stood.
  for (uint32_t r : previous.roots)
    if (gone[r]) merged.roots.push_back(place[r]);
  return merged;
}

std::vector<uint32_t> neighbourhood(const SceneGraph& graph, uint32_t node, uint32_t hops, size_t limit) {
  if (node >= graph.nodes.size()) return {};
  const Adjacency adjacency(graph);
  std::vector<bool> seen(graph.nodes.size(), false);
  std::vector<uint32_t> found{node};
  seen[node] = true;
  size_t begin = 0;
  for (uint32_t hop = 0; hop < hops; hop++) {
    const size_t end = found.size();
    for (; begin < end; begin++) {
      const uint32_t v = found[begin];
      const auto add = [&](uint32_t w) {
        if (seen[w] || found.size() >= limit) return;
        seen[w] = true;
        found.push_back(w);
      };
      for (uint32_t i = adjacency.sourceStart[v]; i < adjacency.sourceStart[v + 1]; i++)
        add(graph.edges[adjacency.sourceEdges[i]].from);
      for (uint32_t i = adjacency.userStart[v]; i < adjacency.userStart[v + 1]; i++)
        add(graph.edges[adjacency.userEdges[i]].to);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace rangescope::viewer
