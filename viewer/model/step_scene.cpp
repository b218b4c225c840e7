#include "viewer/model/step_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/trace/step.h"
#include "viewer/model/node_label.h"

namespace rangescope::viewer {

namespace {

// Larger graphs are shown as the surroundings of the change: nobody reads more boxes than this.
constexpr size_t kMostNodes = 10000;
constexpr size_t kSurroundings = 1500;

constexpr OpSet kCalls{Op::CALL, Op::FUNCTION};
constexpr OpSet kShapeArgument = groups::Movement;

using Rebuilt = std::vector<std::pair<UOp, UOp>>;

// Nodes in topological order, and what is drawn of them.
class Picture {
 public:
  Picture(UOp root, const SceneFilters& filters) : filters_(filters) {
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

  const UOps& order() const { return order_; }

  // Whether the edge to source i, and with it the source, is in the picture.
  bool drawsSource(UOp user, size_t i) const {
    if (user.in(kCalls) && i == 0 && !filters_.callBodies) return false;
    if (filters_.constants) return true;
    if (user.in(kShapeArgument) && i > 0) return false;
    return !isInline(user.srcs()[i]);
  }

  // `was`: (rebuilt node, what it was), sources first. Adds the keys that it gives.
  SceneGraph graph(const Rebuilt& was, SceneKeys& keys) const {
    std::unordered_map<uint32_t, uint32_t> identity;
    for (const auto& [made, before] : was) {
      const auto it = identity.find(before.id());
      identity.try_emplace(made.id(), it == identity.end() ? before.id() : it->second);
    }
    std::unordered_set<uint32_t> taken;
    for (const UOp u : order_)
      if (!identity.contains(u.id())) taken.insert(u.id());
    SceneGraph g = graph();
    for (SceneNode& n : g.nodes) {
      const auto it = identity.find(n.key);
      if (it == identity.end() || !taken.insert(it->second).second) continue;
      keys.add(it->second, n.key);
      n.key = it->second;
    }
    return g;
  }

  SceneGraph graph() const {
    SceneGraph g;
    std::unordered_map<uint32_t, uint32_t> at;  // by node id; looked up, never iterated
    for (const UOp u : order_) {
      if (!filters_.sink && u.is(Op::SINK)) continue;
      at.emplace(u.id(), static_cast<uint32_t>(g.nodes.size()));
      g.nodes.push_back(labelled(u, filters_.palette, !filters_.constants));
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

 private:
  const SceneFilters& filters_;
  UOps order_;
};

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

Result<std::vector<std::pair<UOp, UOp>>> matchMap(trace::Reader& reader, const std::vector<trace::StepMatch>& matches) {
  std::vector<std::pair<UOp, UOp>> map;
  for (const trace::StepMatch& m : matches) {
    if (m.after == 0) continue;
    const auto before = reader.node(m.before);
    if (!before) return tl::unexpected(before.error());
    const auto after = reader.node(m.after);
    if (!after) return tl::unexpected(after.error());
    map.emplace_back(*before, *after);
  }
  return map;
}

void markChange(SceneGraph& now, const SceneGraph& before, uint32_t matchedKey, uint32_t madeKey) {
  const KeyIndex known(before);
  for (SceneNode& n : now.nodes)
    if (!known.find(n.key)) n.state = NodeState::New;
  for (SceneNode& n : now.nodes)
    if ((n.key == madeKey || n.key == matchedKey) && n.state == NodeState::Normal) n.state = NodeState::Match;
  // an edge between two nodes that were there before, to another source than before
  std::unordered_map<uint64_t, uint32_t> source;  // (user key, port) -> source key
  for (const SceneEdge& e : before.edges)
    source[uint64_t{before.nodes[e.to].key} << 16 | e.port] = before.nodes[e.from].key;
  for (SceneEdge& e : now.edges) {
    const auto it = source.find(uint64_t{now.nodes[e.to].key} << 16 | e.port);
    if (it != source.end() && it->second != now.nodes[e.from].key) e.state = EdgeState::Resourced;
  }
}

}  // namespace

int64_t kernelGraphPass(const trace::Reader& reader) {
  for (const trace::Pass& p : reader.passes())
    if (p.name == "View Kernel Graph" && p.output != 0) return p.id;
  return 0;
}

Result<StepScene> stepScene(trace::Reader& reader, const StepAddress& address, const SceneFilters& filters) {
  const trace::Pass* pass = reader.pass(address.pass);
  if (pass == nullptr) return tl::unexpected(Error{fmt::format("this trace has no pass {}.", address.pass)});
  if (pass->input == 0)
    return tl::unexpected(
        Error{fmt::format("\"{}\" only groups other passes. Choose one of those below it.", pass->name)});
  const auto matches = reader.matches(pass->id, 0, std::max<int64_t>(address.step, 0));
  if (!matches) return tl::unexpected(matches.error());
  const auto map = matchMap(reader, *matches);
  if (!map) return tl::unexpected(map.error());
  const auto input = reader.node(pass->input);
  if (!input) return tl::unexpected(input.error());
  const trace::PassRules rules{pass->bottom_up, pass->walk, pass->enter_calls};
  Rebuilt rebuilt;
  const auto now = trace::graph_after(*input, *map, rules, &rebuilt);
  if (!now) return tl::unexpected(now.error());

  StepScene scene;
  scene.address = {pass->id, static_cast<int64_t>(matches->size())};
  scene.kernels = pass->id == kernelGraphPass(reader);
  scene.matches = pass->matches;
  scene.root = *now;
  const Picture picture(*now, filters);
  scene.nodes = picture.order().size();
  scene.graph = picture.graph(rebuilt, scene.keys);
  if (!matches->empty()) {
    scene.match = matches->back();
    if (const trace::RuleInfo* r = reader.rule(matches->back().rule)) scene.ruleName = r->name;
    const auto matched = reader.node(matches->back().before);
    if (!matched) return tl::unexpected(matched.error());
    if (matches->back().after != 0) {
      Rebuilt rebuiltBefore;
      const auto previous = trace::graph_after(*input, std::span(*map).first(map->size() - 1), rules, &rebuiltBefore);
      if (!previous) return tl::unexpected(previous.error());
      const SceneGraph before = Picture(*previous, filters).graph(rebuiltBefore, scene.keys);
      markChange(scene.graph, before, scene.keys.key(matched->id()), scene.keys.key(map->back().second.id()));
      scene.graph = withGhosts(before, scene.graph);
    } else {
      for (SceneNode& n : scene.graph.nodes)
        if (n.key == scene.keys.key(matched->id())) n.state = NodeState::Match;
    }
  }
  if (scene.graph.nodes.size() > kMostNodes) {
    uint32_t centre = static_cast<uint32_t>(scene.graph.nodes.size()) - 1;
    for (uint32_t i = 0; i < scene.graph.nodes.size(); ++i)
      if (scene.graph.nodes[i].state != NodeState::Normal) centre = i;
    scene.graph = induced(scene.graph, neighbourhood(scene.graph, centre, 64, kSurroundings));
    scene.cut = true;
  }
  return scene;
}

}  // namespace rangescope::viewer
