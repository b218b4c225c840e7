// The kernel graph with what was measured of each kernel.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "engine/ir/traversal.h"
#include "engine/trace/times.h"
#include "viewer/model/step_scene.h"

namespace rangescope::viewer {

namespace {

HeatScale scaleOf(Measure measure) {
  switch (measure) {
    case Measure::Time:
      return {"median time", "ms", 1};
    case Measure::Flops:
      return {"operations a second", "GFLOP/s", 1};
    case Measure::Bandwidth:
      return {"bytes a second", "GB/s", 1};
    case Measure::Share:
      return {};
  }
  return {};
}

struct Heat {
  double value = -1;  // below 0: not known
  std::string label;
};

Heat heatOf(const trace::ItemTimes& t, double total, Measure measure) {
  const double ms = static_cast<double>(t.times.median) / 1e6, share = static_cast<double>(t.times.median) / total;
  const auto rated = [&](const std::optional<int64_t>& amount, const char* unit) -> Heat {
    const auto r = trace::rate(amount, t.times.median);
    return r ? Heat{*r, fmt::format("{:.2f} {}", *r, unit)} : Heat{-1, fmt::format("no {} known", unit)};
  };
  switch (measure) {
    case Measure::Time:  // half of the middle half's width, either way; one repeat has none
      if (t.times.n < 2) return {ms, fmt::format("{:.3f} ms", ms)};
      return {ms, fmt::format("{:.3f} ms \u00b1{:.3f}", ms, static_cast<double>(t.times.spread) / 2e6)};
    case Measure::Flops:
      return rated(t.ops, "GFLOP/s");
    case Measure::Bandwidth:
      return rated(t.bytes, "GB/s");
    case Measure::Share:
      return {share, fmt::format("{:.1f} %", 100 * share)};
  }
  return {};
}

}  // namespace

Result<StepScene> kernelScene(trace::Reader& reader, const SceneFilters& filters, std::optional<Measure> measure,
                              const std::vector<trace::ItemTimes>* known) {
  const int64_t id = kernelGraphPass(reader);
  if (id == 0) return tl::unexpected(Error{"this trace has no kernel graph: its schedule did not get that far."});
  auto scene = stepScene(reader, {id, 0}, filters);
  if (!scene) return scene;
  const auto kernels = reader.kernels();
  const auto schedule = reader.schedule();
  if (!kernels || !schedule) return scene;
  std::vector<trace::ItemTimes> read;
  if (known == nullptr)
    if (auto t = trace::last_item_times(reader)) read = std::move(*t);
  const std::vector<trace::ItemTimes>& times = known == nullptr ? read : *known;
  double total = 0;
  for (const trace::ItemTimes& t : times) total += static_cast<double>(t.times.median);
  scene->timed = total > 0;
  if (measure) scene->graph.heatScale = scaleOf(*measure);
  // an item is one CALL of the graph: the one with its AST, in order of execution
  const auto root = reader.node(reader.pass(id)->output);
  if (!root) return scene;
  std::unordered_map<uint32_t, size_t> index;
  for (size_t i = 0; i < scene->graph.nodes.size(); ++i) index.emplace(scene->graph.nodes[i].key, i);
  std::unordered_map<uint32_t, UOps> callsOf;  // by AST id
  for (const UOp u : toposort(*root, false))
    if (u.is(Op::CALL) && u.src_count() > 0) callsOf[u.src(0).id()].push_back(u);
  std::unordered_map<uint32_t, size_t> used;
  for (const trace::ScheduleItem& item : *schedule) {
    const auto ast = reader.node(item.ast);
    if (!ast) continue;
    const UOps& same = callsOf[ast->id()];
    if (same.empty()) continue;
    const UOp call = same[std::min(used[ast->id()]++, same.size() - 1)];
    const auto at = index.find(call.id());
    if (at == index.end()) continue;
    SceneNode& n = scene->graph.nodes[at->second];
    scene->items.emplace_back(item.id, n.key);
    if (const auto k = std::ranges::find(*kernels, item.kernel, &trace::Kernel::id);
        k != kernels->end() && item.kind == "kernel") {
      n.lines.insert(n.lines.begin(), k->name);
      if (n.lines.size() > 4) n.lines.resize(4);
    }
    const auto t = std::ranges::find(times, item.id, &trace::ItemTimes::item);
    if (!measure || t == times.end() || total <= 0) continue;
    Heat heat = heatOf(*t, total, *measure);
    n.heat = heat.value;
    n.heatLabel = std::move(heat.label);
  }
  return scene;
}

}  // namespace rangescope::viewer
