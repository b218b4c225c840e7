#include "viewer/model/diff_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "engine/ir/store.h"
#include "engine/ir/text.h"
#include "engine/ir/traversal.h"
#include "viewer/model/node_label.h"
#include "viewer/model/picture.h"

namespace rangescope::viewer {

namespace {

// Which node of the one graph is which of the other.
class Pairing {
 public:
  Pairing(UOp a, UOp b) : orderA_(toposort(a)), orderB_(toposort(b)), inA_(a.store()), inB_(b.store()) {
    for (const UOp u : orderA_) inA_.insert(u);
    for (const UOp u : orderB_) inB_.insert(u);
    work_.emplace_back(a, b);
    fromTheRoots();
    byLooks();
  }

  // Null: the other graph has none.
  UOp inB(UOp ofA) const { return inB_.contains(ofA) ? ofA : found(toB_, ofA); }
  UOp inA(UOp ofB) const { return inA_.contains(ofB) ? ofB : found(toA_, ofB); }

  NodeChange change(UOp ofB) const {
    const UOp a = inA(ofB);
    if (!a) return NodeChange::Added;
    if (a == ofB) return NodeChange::Same;
    if (a.dtype() != ofB.dtype()) return NodeChange::Retyped;
    if (!(a.arg() == ofB.arg()) || !(a.tag() == ofB.tag())) return NodeChange::Argument;
    if (a.src_count() != ofB.src_count()) return NodeChange::Resourced;
    NodeChange change = NodeChange::Same;
    for (size_t i = 0; i < a.src_count(); ++i) {
      const UOp was = a.srcs()[i], is = ofB.srcs()[i];
      if (was == is) continue;
      if (isInline(was) && isInline(is))
        change = NodeChange::Argument;  // a constant is as good as an argument, and is drawn as one
      else if (inB(was) != is)
        return NodeChange::Resourced;
    }
    return change;
  }

 private:
  using Map = std::unordered_map<uint32_t, UOp>;
  static UOp found(const Map& map, UOp u) {
    const auto it = map.find(u.id());
    return it == map.end() ? UOp() : it->second;
  }
  bool free(UOp a, UOp b) const {
    return !inB_.contains(a) && !inA_.contains(b) && !toB_.contains(a.id()) && !toA_.contains(b.id());
  }
  void pair(UOp a, UOp b) {
    toB_.emplace(a.id(), b);
    toA_.emplace(b.id(), a);
  }

  void fromTheRoots() {
    std::set<std::pair<uint32_t, uint32_t>> seen;
    while (!work_.empty()) {
      const auto [x, y] = work_.front();
      work_.pop_front();
      if (x == y || !free(x, y) || !seen.emplace(x.id(), y.id()).second) continue;
      if (x.op() == y.op()) {
        pair(x, y);
        sources(x, y);
        continue;
      }
      // one of them may stand around the other's counterpart: a node put in, or taken out
      bool around = false;
      for (const UOp s : y.srcs())
        if (s.op() == x.op()) work_.emplace_back(x, s), around = true;
      for (const UOp s : x.srcs())
        if (s.op() == y.op()) work_.emplace_back(s, y), around = true;
      if (!around) sources(x, y);
    }
  }

  void sources(UOp x, UOp y) {
    const auto s = x.srcs(), t = y.srcs();
    if (s.size() == t.size()) {
      for (size_t i = 0; i < s.size(); ++i) work_.emplace_back(s[i], t[i]);
      return;
    }
    size_t j = 0;
    for (const UOp u : s) {  // in order, by op
      size_t k = j;
      while (k < t.size() && t[k].op() != u.op()) ++k;
      if (k == t.size()) continue;
      work_.emplace_back(u, t[k]);
      j = k + 1;
    }
  }

  // What was left over and looks the same, where it is alone in that on both sides.
  void byLooks() {
    using Looks = std::tuple<Op, DType, const Arg*>;
    std::map<Looks, std::array<UOps, 2>> left;
    const auto add = [&](UOp u, size_t side) { left[{u.op(), u.dtype(), &u.arg()}][side].push_back(u); };
    for (const UOp u : orderA_)
      if (!inB(u)) add(u, 0);
    for (const UOp u : orderB_)
      if (!inA(u)) add(u, 1);
    for (const UOp u : orderA_) {
      const auto it = left.find({u.op(), u.dtype(), &u.arg()});
      if (it == left.end() || u.is_const() || inB(u)) continue;
      const auto& [ofA, ofB] = it->second;
      if (ofA.size() == 1 && ofB.size() == 1) pair(ofA[0], ofB[0]);
    }
  }

  UOps orderA_, orderB_;
  Marks inA_, inB_;
  Map toB_, toA_;
  std::deque<std::pair<UOp, UOp>> work_;
};

class Merging {
 public:
  Merging(UOp a, UOp b, const SceneFilters& filters)
      : filters_(filters), pairing_(a, b), pictureA_(a, filters_), pictureB_(b, filters_) {}

  GraphDiff run() {
    out_.graph = pictureB_.graph();
    out_.nodes = pictureB_.order().size();
    for (uint32_t i = 0; i < out_.graph.nodes.size(); ++i) at_.emplace(out_.graph.nodes[i].key, i);
    for (const UOp u : pictureB_.order()) mark(u);
    addGone();
    edges();
    lines();
    cutToChange(out_.graph);
    return std::move(out_);
  }

 private:
  void mark(UOp u) {
    const auto at = at_.find(u.id());
    if (at == at_.end()) return;
    const NodeChange change = pairing_.change(u);
    ++out_.counts[static_cast<size_t>(change)];
    SceneNode& n = out_.graph.nodes[at->second];
    if (change == NodeChange::Added) n.state = NodeState::New;
    if (change != NodeChange::Retyped && change != NodeChange::Argument) return;
    n.state = NodeState::Match;
    const UOp was = pairing_.inA(u);
    std::string before = change == NodeChange::Retyped ? std::string(dtype_name(was.dtype())) : argText(was, 36);
    if (change == NodeChange::Argument && was.arg() == u.arg())
      for (size_t i = 0; i < u.src_count(); ++i)
        if (was.srcs()[i] != u.srcs()[i] && isInline(was.srcs()[i])) before = short_label(was.srcs()[i], 36);
    n.lines.insert(n.lines.begin(), "was " + (before.empty() ? std::string("nothing") : before));
    if (n.lines.size() > 4) n.lines.resize(4);
  }

  // Where a node of a stands in the picture.
  std::optional<uint32_t> place(UOp ofA) const {
    const UOp b = pairing_.inB(ofA);
    const auto it = at_.find(b ? b.id() : ofA.id());
    return it == at_.end() ? std::nullopt : std::optional(it->second);
  }

  void addGone() {
    for (const UOp u : pictureA_.order()) {
      if (pairing_.inB(u) || (!filters_.sink && u.is(Op::SINK))) continue;
      ++out_.counts[static_cast<size_t>(NodeChange::Removed)];
      at_.emplace(u.id(), static_cast<uint32_t>(out_.graph.nodes.size()));
      out_.graph.nodes.push_back(labelled(u, filters_.palette, !filters_.constants));
      out_.graph.nodes.back().state = NodeState::Ghost;
    }
  }

  void edges() {
    std::map<std::pair<uint32_t, uint16_t>, uint32_t> sources;  // (user, port) -> source, of b
    const size_t ofB = out_.graph.edges.size();
    for (const SceneEdge& e : out_.graph.edges) sources[{e.to, e.port}] = e.from;
    std::map<std::pair<uint32_t, uint16_t>, uint32_t> before;  // of a
    for (const UOp u : pictureA_.order()) {
      const auto user = place(u);
      if (!user) continue;
      const auto ports = static_cast<uint16_t>(std::min<size_t>(u.src_count(), 0xffff));
      for (size_t i = 0; i < ports; ++i) {
        if (!pictureA_.drawsSource(u, i)) continue;
        const auto source = place(u.srcs()[i]);
        if (!source) continue;
        const auto port = static_cast<uint16_t>(i);
        before[{*user, port}] = *source;
        const auto now = sources.find({*user, port});
        if (now != sources.end() && now->second == *source) continue;
        out_.graph.edges.push_back({*source, *user, port, ports, EdgeState::Ghost});
      }
    }
    for (size_t i = 0; i < ofB; ++i) {
      SceneEdge& e = out_.graph.edges[i];
      const auto was = before.find({e.to, e.port});
      if (was != before.end() && was->second != e.from) e.state = EdgeState::Resourced;
    }
  }

  // One numbering for both sides, so that what is the same reads the same.
  void lines() {
    struct Row {
      UOp a, b;
    };
    std::vector<Row> rows;
    const auto drawn = [&](UOp u) { return at_.contains(u.id()); };
    size_t next = 0;
    const UOps& first = pictureA_.order();
    std::unordered_map<uint32_t, size_t> placeInA;
    for (size_t i = 0; i < first.size(); ++i) placeInA.emplace(first[i].id(), i);
    const auto goneUpTo = [&](size_t end) {
      for (; next < end; ++next)
        if (!pairing_.inB(first[next]) && drawn(first[next])) rows.push_back({first[next], {}});
    };
    for (const UOp u : pictureB_.order()) {
      if (!drawn(u)) continue;
      const UOp was = pairing_.inA(u);
      if (was)
        if (const auto it = placeInA.find(was.id()); it != placeInA.end() && it->second > next) goneUpTo(it->second);
      rows.push_back({was, u});
    }
    goneUpTo(first.size());
    std::unordered_map<uint32_t, size_t> number;  // by id of either side
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].a) number.try_emplace(rows[i].a.id(), i + 1);
      if (rows[i].b) number[rows[i].b.id()] = i + 1;
    }
    const auto line = [&](UOp u) {
      if (!u) return std::string();
      const auto self = number.find(u.id());
      std::string s = fmt::format("%{:<4}{}", self == number.end() ? 0 : self->second, op_name(u.op()));
      if (u.dtype() != DType::void_) s += fmt::format(" {}", dtype_name(u.dtype()));
      if (const std::string shape = shapeText(u); shape.size() > 2 && shape.find("valid") == std::string::npos)
        s += " " + shape;
      if (u.is(Op::RANGE) || u.is_const()) s += " " + short_label(u, 24);
      if (const std::string arg = argText(u, 60); !arg.empty()) s += "  " + arg;
      std::string sources;
      for (const UOp src : u.srcs()) {
        const auto it = number.find(src.id());
        const std::string one = it != number.end() ? fmt::format("%{}", it->second) : short_label(src, 16);
        sources += (sources.empty() ? "" : ", ") + one;
        if (sources.size() > 80) {
          sources += ", ...";
          break;
        }
      }
      return s + (sources.empty() ? "" : "  (" + sources + ")");
    };
    for (const Row& r : rows) {
      DiffLine l;
      l.a = line(r.a), l.b = line(r.b);
      l.change = r.b ? pairing_.change(r.b) : NodeChange::Removed;
      l.key = r.b ? r.b.id() : r.a.id();
      out_.lines.push_back(std::move(l));
    }
  }

  SceneFilters filters_;
  Pairing pairing_;
  Picture pictureA_, pictureB_;
  std::unordered_map<uint32_t, uint32_t> at_;  // by id: index into the picture's nodes
  GraphDiff out_;
};

}  // namespace

GraphDiff graphDiff(UOp a, UOp b, const SceneFilters& filters) {
  return Merging(a, b, filters).run();
}

UOp copyInto(Store& store, UOp root) {
  std::unordered_map<uint32_t, UOp> made;
  UOps srcs;
  for (const UOp u : toposort(root)) {
    srcs.clear();
    for (const UOp s : u.srcs()) srcs.push_back(made.at(s.id()));
    made.emplace(u.id(), store.make(u.op(), u.dtype(), srcs, u.arg(), u.tag()));
  }
  return made.at(root.id());
}

}  // namespace rangescope::viewer
