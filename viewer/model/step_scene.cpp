#include "viewer/model/step_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/trace/step.h"
#include "viewer/model/node_label.h"
#include "viewer/model/picture.h"

namespace rangescope::viewer {

namespace {

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
  std::vector<uint32_t> start(before.nodes.size() + 1, 0);  // of a user's edges, which stand together
  for (const SceneEdge& e : before.edges) ++start[e.to + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  for (SceneEdge& e : now.edges) {
    const auto user = known.find(now.nodes[e.to].key);
    if (!user) continue;
    for (uint32_t i = start[*user]; i < start[*user + 1]; ++i)
      if (before.edges[i].port == e.port && before.nodes[before.edges[i].from].key != now.nodes[e.from].key)
        e.state = EdgeState::Resourced;
  }
}

// They came out of a graph without labels.
void labelGhosts(Store& store, StepScene& scene, const SceneFilters& filters) {
  for (SceneNode& n : scene.graph.nodes) {
    if (n.state != NodeState::Ghost) continue;
    const uint32_t key = n.key;
    n = keptLabel(store.at(scene.keys.node(key)), filters.palette, !filters.constants);
    n.key = key;
    n.state = NodeState::Ghost;
  }
}

}  // namespace

int64_t kernelGraphPass(const trace::Reader& reader) {
  for (const trace::Pass& p : reader.passes())
    if (p.name == "View Kernel Graph" && p.output != 0) return p.id;
  return 0;
}

Result<const trace::Pass*> passWithGraph(const trace::Reader& reader, int64_t id) {
  const trace::Pass* pass = reader.pass(id);
  if (pass == nullptr) return tl::unexpected(Error{fmt::format("this trace has no pass {}.", id)});
  if (pass->input == 0)
    return tl::unexpected(
        Error{fmt::format("\"{}\" only groups other passes. Choose one of those below it.", pass->name)});
  return pass;
}

Result<UOp> stepRoot(trace::Reader& reader, const StepAddress& address) {
  const auto pass = passWithGraph(reader, address.pass);
  if (!pass) return tl::unexpected(pass.error());
  const auto matches = reader.matches((*pass)->id, 0, std::max<int64_t>(address.step, 0));
  if (!matches) return tl::unexpected(matches.error());
  const auto map = matchMap(reader, *matches);
  if (!map) return tl::unexpected(map.error());
  auto input = reader.node((*pass)->input);
  if (!input) return input;
  return trace::graph_after(*input, *map, {(*pass)->bottom_up, (*pass)->walk, (*pass)->enter_calls});
}

Result<StepScene> stepScene(trace::Reader& reader, const StepAddress& address, const SceneFilters& filters) {
  const auto found = passWithGraph(reader, address.pass);
  if (!found) return tl::unexpected(found.error());
  const trace::Pass* pass = *found;
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
      const SceneGraph before = Picture(*previous, filters).graph(rebuiltBefore, scene.keys, Picture::Labels::None);
      markChange(scene.graph, before, scene.keys.key(matched->id()), scene.keys.key(map->back().second.id()));
      scene.graph = withGhosts(before, std::move(scene.graph));
      labelGhosts(reader.store(), scene, filters);
    } else {
      for (SceneNode& n : scene.graph.nodes)
        if (n.key == scene.keys.key(matched->id())) n.state = NodeState::Match;
    }
  }
  scene.cut = cutToChange(scene.graph);
  return scene;
}

}  // namespace rangescope::viewer
