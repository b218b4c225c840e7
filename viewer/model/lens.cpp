#include "viewer/model/lens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/ir/store.h"
#include "engine/ir/text.h"
#include "viewer/model/node_label.h"
#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

namespace {

// They decide what is computed when: kept in full colour.
constexpr OpSet kBoundaries{Op::STAGE, Op::INDEX, Op::REDUCE, Op::STORE, Op::END, Op::AFTER, Op::CALL};
constexpr size_t kReasonChars = 60;  // the inspector has the whole
constexpr QRgb kRealized = 0xffd9480f, kWouldGo = 0xff8a7866;

// The rule that made the STAGE: all that a foreign trace says.
std::string makerOf(trace::Reader& reader, UOp stage) {
  const int64_t number = reader.number_of(stage);
  if (number == 0) return {};
  const auto match = reader.made_by(number);
  if (!match || *match == 0) return {};
  const auto m = reader.match(*match);
  if (!m || !*m) return {};
  return "by " + reader.rule_name((*m)->rule);
}

}  // namespace

std::string realizeReason(const trace::Reader& reader, const std::vector<trace::Realized>& realized, UOp u,
                          int64_t pass) {
  const trace::Pass* at = reader.pass(pass);
  if (realized.empty() || at == nullptr) return {};
  std::vector<std::string> ranges;
  if (u.is(Op::STAGE))
    for (const UOp s : u.srcs())
      if (s.is(Op::RANGE)) ranges.push_back(range_str(s));
  const int64_t number = reader.number_of(u);
  // the ranges of a STAGE are new ones that are its own, so they tell it apart; the latest decision before it counts
  for (size_t i = realized.size(); i-- > 0;) {
    const trace::Realized& r = realized[i];
    if (r.section != at->section || r.pass > pass) continue;
    if (number != 0 && r.node == number) return r.reason;
    if (std::ranges::find_first_of(ranges, r.ranges) != ranges.end()) return r.reason;
  }
  return {};
}

void applyLens(trace::Reader& reader, const std::vector<trace::Realized>& realized, StepScene& scene,
               const SceneFilters& filters) {
  Store& store = reader.store();
  for (SceneNode& n : scene.graph.nodes) {
    const uint32_t id = scene.keys.node(n.key);
    if (id >= store.node_count()) continue;
    const UOp u = store.at(id);
    if (u.is(Op::RANGE)) {
      if (const AxisType* axis = axisOf(u)) n.fill = axisColor(axis_name(*axis), filters.palette);
      continue;
    }
    std::string why = realizeReason(reader, realized, u, scene.address.pass);
    if (!u.in(kBoundaries) && why.empty()) {
      n.fill = mix(n.fill, 0xffc4c8ce, 0.75);  // quiet on a light ground and on a dark one
      continue;
    }
    if (const auto* stage = u.arg().get_if<StageArg>(); stage != nullptr && u.is(Op::STAGE)) {
      n.badges.insert(n.badges.begin(),
                      stage->removable ? SceneBadge{"may be removed", kWouldGo} : SceneBadge{"realized", kRealized});
      if (why.empty()) why = makerOf(reader, u);
    } else if (!why.empty()) {
      n.badges.insert(n.badges.begin(), SceneBadge{"will be realized", kRealized});
    }
    if (!why.empty()) {
      n.lines.push_back(shortened(why, kReasonChars));
      if (n.lines.size() > 4) n.lines.erase(n.lines.end() - 2);
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
