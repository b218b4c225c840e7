#include "viewer/model/picture.h"

#include <algorithm>

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include "engine/ir/store.h"
#include "viewer/model/node_label.h"

namespace rangescope::viewer {

namespace {

constexpr size_t kMostNodes = 10000;
constexpr size_t kSurroundings = 1500;

constexpr OpSet kCalls{Op::CALL, Op::FUNCTION};
constexpr OpSet kShapeArgument = groups::Movement;

SceneGraph induced(const SceneGraph& g, const std::vector<uint32_t>& keep) {
  SceneGraph out;
  std::vector<int64_t> at(g.nodes.size(), -1);
  for (const uint32_t i : keep) {
    at[i] = static_cast<int64_t>(out.nodes.size());
    out.nodes.push_back(g.nodes[i]);
  }
  for (SceneEdge e : g.edges)
    if (at[e.from] >= 0 && at[e.to] >= 0) {
      e.from = static_cast<uint32_t>(at[e.from]);
      e.to = static_cast<uint32_t>(at[e.to]);
      out.edges.push_back(e);
    }
  return out;
}

}  // namespace

Picture::Picture(UOp root, const SceneFilters& filters) : filters_(filters) {
  Marks seen(root.store());
  std::vector<std::pair<UOp, bool>> stack{{root, false}};
  while (!stack.empty()) {
    const auto [u, visited] = stack.back();
    stack.pop_back();
    if (visited) {
      order_.push_back(u);
      continue;
    }
    if (!seen.insert(u)) continue;
    stack.emplace_back(u, true);
    const auto srcs = u.srcs();
    for (size_t i = srcs.size(); i-- > 0;)
      if (drawsSource(u, i)) stack.emplace_back(srcs[i], false);
  }
}

bool Picture::drawsSource(UOp user, size_t i) const {
  if (user.in(kCalls) && i == 0 && !filters_.callBodies) return false;
  if (filters_.constants) return true;
  if (user.in(kShapeArgument) && i > 0) return false;
  return !isInline(user.srcs()[i]);
}

SceneGraph Picture::graph(const Rebuilt& was, SceneKeys& keys, Labels labels) const {
  tsl::robin_map<uint32_t, uint32_t> identity;
  identity.reserve(was.size());
  for (const auto& [made, before] : was) {
    const auto it = identity.find(before.id());
    identity.try_emplace(made.id(), it == identity.end() ? before.id() : it->second);
  }
  tsl::robin_set<uint32_t> taken;
  taken.reserve(order_.size());
  for (const UOp u : order_)
    if (!identity.contains(u.id())) taken.insert(u.id());
  SceneGraph g = graph(labels);
  for (SceneNode& n : g.nodes) {
    const auto it = identity.find(n.key);
    if (it == identity.end() || !taken.insert(it->second).second) continue;
    keys.add(it->second, n.key);
    n.key = it->second;
  }
  return g;
}

SceneGraph Picture::graph(Labels labels) const {
  SceneGraph g;
  g.nodes.reserve(order_.size() + 8);
  g.edges.reserve(order_.size() * 2);
  tsl::robin_map<uint32_t, uint32_t> at;  // by node id; looked up, never iterated
  at.reserve(order_.size());
  for (const UOp u : order_) {
    if (!filters_.sink && u.is(Op::SINK)) continue;
    if (!filters_.indexing && u.dtype() == DType::weakint) continue;
    at.emplace(u.id(), static_cast<uint32_t>(g.nodes.size()));
    if (labels == Labels::All)
      g.nodes.push_back(keptLabel(u, filters_.palette, !filters_.constants));
    else
      g.nodes.emplace_back().key = u.id();
  }
  for (const UOp u : order_) {
    const auto user = at.find(u.id());
    if (user == at.end()) continue;
    const auto ports = static_cast<uint16_t>(std::min<size_t>(u.src_count(), 0xffff));
    for (size_t i = 0; i < u.src_count() && i < 0xffff; ++i) {
      if (!drawsSource(u, i)) continue;
      if (const auto source = at.find(u.srcs()[i].id()); source != at.end())
        g.edges.push_back({source->second, user->second, static_cast<uint16_t>(i), ports});
    }
  }
  return g;
}

bool cutToChange(SceneGraph& graph) {
  if (graph.nodes.size() <= kMostNodes) return false;
  uint32_t centre = static_cast<uint32_t>(graph.nodes.size()) - 1;
  for (uint32_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].state != NodeState::Normal) centre = i;
  graph = induced(graph, neighbourhood(graph, centre, 64, kSurroundings));
  return true;
}

}  // namespace rangescope::viewer
