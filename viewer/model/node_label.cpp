#include "viewer/model/node_label.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/store.h"
#include "engine/ir/text.h"
#include "engine/trace/describe.h"

namespace rangescope::viewer {

namespace {

constexpr size_t kLineChars = 44;
constexpr size_t kMostDims = 8;
constexpr size_t kLabelsKept = 60000;
constexpr const char* kNoShape = "(no valid shape)";

std::string dimText(const Dim& d) {
  return d.is_int() ? std::to_string(d.value) : short_label(d.sym, 16);
}

constexpr OpSet kMovement = groups::Movement | OpSet{Op::UNSHARD};
// Their argument says nothing that the other lines do not.
constexpr OpSet kNoArg{Op::RANGE, Op::CAST, Op::CONST};

std::string rangeLine(UOp u) {
  const auto* arg = u.arg().get_if<Arg::Tuple>();
  if (arg == nullptr || arg->empty()) return {};
  std::string s = rangeName(u);
  if (u.src_count() > 0) s += " < " + short_label(u.src(0), 20);
  return s;
}

// A kernel has no name until its code is generated: what its CALL stores, and the loops around that, tell it apart.
// Only the ends of the kernel are looked at.
std::vector<std::string> kernelLines(UOp call) {
  if (call.src_count() == 0 || !call.src(0).is(Op::SINK) || call.src(0).src_count() == 0) return {};
  const UOp end = call.src(0).src(0), store = end.is(Op::END) ? end.src(0) : end;
  if (!store.is(Op::STORE) || store.src_count() < 2) return {};
  const UOp value = store.src(1);
  std::vector<std::string> lines{"stores " + std::string(op_name(value.op()))};
  if (value.is(Op::REDUCE)) lines[0] += " " + argText(value, 16);
  std::string loops;
  for (const UOp r : end.is(Op::END) ? end.srcs().subspan(1) : std::span<const UOp>())
    if (r.is(Op::RANGE)) loops += (loops.empty() ? "for " : ", ") + rangeLine(r);
  if (!loops.empty()) lines.push_back(shortened(loops, kLineChars));
  return lines;
}

std::string inlineSources(UOp u) {
  std::string s;
  for (size_t i = 0; i < u.src_count() && s.size() < kLineChars; ++i) {
    const UOp c = u.srcs()[i];
    if (!isInline(c) || (u.in(kMovement) && i > 0) || (u.is(Op::RANGE) && i == 0)) continue;
    s += (s.empty() ? "" : "  ") + std::to_string(i) + ": " + short_label(c, 24);
  }
  return shortened(s, kLineChars);
}

}  // namespace

std::string shortened(std::string s, size_t most) {
  if (s.size() <= most) return s;
  s.resize(most - 3);
  while (!s.empty() && (static_cast<unsigned char>(s.back()) & 0xc0) == 0x80) s.pop_back();  // no half character
  return s + "...";
}

const AxisType* axisOf(UOp range) {
  const auto* arg = range.arg().get_if<Arg::Tuple>();
  return arg == nullptr || arg->empty() ? nullptr : arg->back().get_if<AxisType>();
}

std::string rangeName(UOp range) {
  const AxisType* axis = axisOf(range);
  return std::string(1, axis == nullptr ? 'r' : axis_letter(*axis)) + range_str(range);
}

bool isInline(UOp u) {
  if (u.is_const()) return true;
  if (u.is(Op::STACK))
    return u.src_count() <= kMostDims && std::ranges::all_of(u.srcs(), [](UOp s) { return s.is_const(); });
  return u.is(Op::CAST) && u.src_count() == 1 && u.src(0).is_const();
}

std::string shapeText(UOp u) {
  try {
    const Shape* shape = u.shape_or_null();
    if (shape == nullptr) return {};
    std::string s = "(";
    for (size_t i = 0; i < shape->size() && i < kMostDims; ++i) s += (i > 0 ? ", " : "") + dimText((*shape)[i]);
    return s + (shape->size() > kMostDims ? ", ...)" : ")");
  } catch (const GraphError&) {
    return kNoShape;  // between two matches a graph may be inconsistent
  }
}

std::string rangesText(UOp u) {
  try {
    if (u.ranges().empty() || u.is(Op::RANGE)) return {};
    std::string s;
    for (const UOp r : u.ranges()) {
      if (s.size() > kLineChars) break;
      s += (s.empty() ? "" : " ") + rangeName(r);
    }
    return shortened(s, kLineChars);
  } catch (const GraphError&) {
    return {};
  }
}

std::string argText(UOp u, size_t maxChars) {
  if (u.arg().is_none() || u.in(kNoArg)) return {};
  if (u.is(Op::REDUCE)) {
    const auto* t = u.arg().get_if<Arg::Tuple>();
    if (t != nullptr && t->size() == 2)
      if (const auto* op = (*t)[0].get_if<Op>()) {
        const std::string axes = to_string((*t)[1]);
        return std::string(op_name(*op)) +
               (axes == "0" ? "" : " over the first " + axes + (axes == "1" ? " axis" : " axes"));
      }
  }
  if (const auto* p = u.arg().get_if<ParamArg>()) {
    std::string s = p->name ? *p->name : "slot " + std::to_string(p->slot);
    if (!p->device.is_none()) s += "  " + to_string(p->device);
    return shortened(s, maxChars);
  }
  if (const auto* stage = u.arg().get_if<StageArg>()) {  // its address space is a badge
    const Device* d = std::get_if<Device>(&stage->device);
    const int64_t* i = std::get_if<int64_t>(&stage->device);
    std::string where = i != nullptr ? std::to_string(*i) : "";
    if (d != nullptr)
      for (const std::string& name : d->names) where += (where.empty() ? "" : " ") + name;
    return shortened((where.empty() ? "" : "on " + where + ", ") + (stage->removable ? "removable" : "kept"), maxChars);
  }
  if (const auto* k = u.arg().get_if<KernelInfo>()) return shortened(trace::without_colors(k->name), maxChars);
  if (const auto* c = u.arg().get_if<CallInfo>()) return shortened(c->name.value_or(""), maxChars);
  return shortened(to_string(u.arg()), maxChars);
}

namespace {

SceneNode labelled(UOp u, Palette palette, bool inlineConstants, std::string shape) {
  SceneNode n;
  n.key = u.id();
  n.title = op_name(u.op());
  n.fill = opColor(n.title, palette);
  const auto add = [&](std::string line) {
    if (!line.empty() && n.lines.size() < 4) n.lines.push_back(std::move(line));
  };
  if (u.is_const()) {
    add(short_label(u, kLineChars));
    add(std::string(dtype_name(u.dtype())));
    return n;
  }
  if (shape == kNoShape) shape.clear();  // nearly every node in the middle of a pass: the inspector says it
  if (u.dtype() != DType::void_ || !shape.empty()) {
    add((u.dtype() == DType::void_ ? std::string() : std::string(dtype_name(u.dtype())) + " ") +
        (shape == "()" ? "" : shape));
  }
  if (u.is(Op::RANGE)) add(rangeLine(u));
  add(argText(u, kLineChars));
  if (u.is(Op::CALL))
    for (std::string& line : kernelLines(u)) add(std::move(line));
  if (u.is(Op::INDEX) && u.src_count() > 1) {
    std::string s;
    for (const UOp i : u.srcs().subspan(1)) s += "[" + short_label(i, kLineChars) + "]";
    add(shortened(s, kLineChars + 16));
  }
  add(rangesText(u));
  if (inlineConstants) add(inlineSources(u));
  if (u.is(Op::RANGE)) {
    if (const AxisType* axis = axisOf(u))
      n.badges.push_back({std::string(axis_name(*axis)), axisColor(axis_name(*axis), palette)});
  }
  if (const auto* p = u.arg().get_if<ParamArg>(); p != nullptr && p->addrspace)
    n.badges.push_back({std::string(addrspace_name(*p->addrspace)), addressSpaceColor(addrspace_name(*p->addrspace))});
  if (const auto* s = u.arg().get_if<StageArg>())
    n.badges.push_back({std::string(addrspace_name(s->addrspace)), addressSpaceColor(addrspace_name(s->addrspace))});
  return n;
}

struct KeptLabels {
  std::vector<std::unique_ptr<const SceneNode>> labels;  // by node id
  size_t count = 0;
  Palette palette = Palette::Known;
  bool inlineConstants = true;
  std::vector<bool> shapeless;  // by node id: there is no valid one

  // In the middle of a pass nearly every node lies above one without a valid shape. The engine would go down to that
  // one again for each; here the sources say it.
  std::string shapeOf(UOp u) {
    const auto known = [&](UOp s) { return s.id() < shapeless.size() && shapeless[s.id()]; };
    std::string text = known(u) || std::ranges::any_of(u.srcs(), known) ? kNoShape : shapeText(u);
    if (text == kNoShape) {
      if (u.id() >= shapeless.size()) shapeless.resize(u.store().node_count() * 5 / 4 + 64);
      shapeless[u.id()] = true;
    }
    return text;
  }
};

}  // namespace

SceneNode labelled(UOp u, Palette palette, bool inlineConstants) {
  return labelled(u, palette, inlineConstants, u.is_const() ? std::string() : shapeText(u));
}

const SceneNode& keptLabel(UOp u, Palette palette, bool inlineConstants) {
  auto& kept = u.store().extension<KeptLabels>();
  if (kept.count >= kLabelsKept || kept.palette != palette || kept.inlineConstants != inlineConstants) {
    kept.labels.clear();
    kept.count = 0, kept.palette = palette, kept.inlineConstants = inlineConstants;
  }
  if (u.id() >= kept.labels.size()) kept.labels.resize(u.store().node_count() * 5 / 4 + 64);
  auto& label = kept.labels[u.id()];
  if (!label) {
    label = std::make_unique<const SceneNode>(
        labelled(u, palette, inlineConstants, u.is_const() ? std::string() : kept.shapeOf(u)));
    ++kept.count;
  }
  return *label;
}

}  // namespace rangescope::viewer
