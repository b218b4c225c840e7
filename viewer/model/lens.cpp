#include "viewer/model/lens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/ir/store.h"
#include "viewer/model/node_label.h"
#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

namespace {

// They decide what is computed when: kept in full colour.
constexpr OpSet kBoundaries{Op::STAGE, Op::INDEX, Op::REDUCE, Op::STORE, Op::END, Op::AFTER, Op::CALL};
constexpr QRgb kRealized = 0xffd9480f, kWouldGo = 0xff8a7866;

// Why a value is given a place in memory of its own, as far as the trace says.
std::string reason(trace::Reader& reader, UOp stage) {
  const int64_t number = reader.number_of(stage);
  if (number == 0) return {};
  const auto match = reader.made_by(number);
  if (!match || *match == 0) return {};
  const auto m = reader.match(*match);
  if (!m || !*m) return {};
  return "by " + reader.rule_name((*m)->rule);
}

}  // namespace

void applyLens(trace::Reader& reader, StepScene& scene, const SceneFilters& filters) {
  Store& store = reader.store();
  for (SceneNode& n : scene.graph.nodes) {
    const uint32_t id = scene.keys.node(n.key);
    if (id >= store.node_count()) continue;
    const UOp u = store.at(id);
    if (u.is(Op::RANGE)) {
      const auto* arg = u.arg().get_if<Arg::Tuple>();
      const auto* axis = arg == nullptr || arg->empty() ? nullptr : arg->back().get_if<AxisType>();
      if (axis != nullptr) n.fill = axisColor(axis_name(*axis), filters.palette);
      continue;
    }
    if (!u.in(kBoundaries)) {
      n.fill = mix(n.fill, 0xffc4c8ce, 0.75);  // quiet on a light ground and on a dark one
      continue;
    }
    if (const auto* stage = u.arg().get_if<StageArg>(); stage != nullptr && u.is(Op::STAGE)) {
      n.badges.insert(n.badges.begin(),
                      stage->removable ? SceneBadge{"may be removed", kWouldGo} : SceneBadge{"realized", kRealized});
      if (std::string why = reason(reader, u); !why.empty()) {
        n.lines.push_back(std::move(why));
        if (n.lines.size() > 4) n.lines.erase(n.lines.end() - 2);
      }
    }
  }
}

std::vector<LegendEntry> lensLegend(const SceneGraph& graph, Palette palette) {
  std::vector<LegendEntry> out;
  std::vector<std::string> seen;
  bool stages = false;
  for (const SceneNode& n : graph.nodes) {
    stages = stages || n.title == "STAGE";
    if (n.title != "RANGE" || n.badges.empty() || n.state == NodeState::Ghost) continue;
    const std::string& axis = n.badges.front().text;
    if (std::ranges::find(seen, axis) == seen.end()) seen.push_back(axis);
  }
  std::ranges::sort(seen);
  out.reserve(seen.size() + 2);
  for (const std::string& axis : seen)
    out.push_back({axisColor(axis, palette), QStringLiteral("range: %1").arg(qtText(axis).toLower())});
  if (stages) {
    out.push_back({kRealized, QStringLiteral("STAGE: realized, stays in memory")});
    out.push_back({kWouldGo, QStringLiteral("STAGE: may be removed")});
  }
  return out;
}

}  // namespace rangescope::viewer
