#include "engine/trace/provenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "engine/ir/traversal.h"
#include "engine/trace/describe.h"
#include "engine/trace/step.h"

namespace rangescope::trace {

namespace {

constexpr size_t kMostHops = 200;          // each way
constexpr size_t kMostImages = 8;          // what one node can become at once
constexpr int64_t kMostMatches = 1 << 20;  // of a pass that is followed
constexpr size_t kMostKernels = 24;

class Following {
 public:
  Following(Reader& reader, const SearchIndex& index, const std::stop_token& stop)
      : reader_(reader), index_(index), stop_(stop) {}

  Result<void> back(int64_t node, Provenance& out);
  Result<void> on(int64_t node, Provenance& out);

 private:
  using Pairs = std::vector<std::pair<UOp, UOp>>;
  struct Walk {
    UOp root;
    std::vector<StepMatch> matches;
    Pairs map, rebuilt;  // (before, after); (made, what it was)
  };
  Result<Walk> walk(const Pass& pass, int64_t steps);
  Result<int64_t> before_rebuilding(int64_t node, const Place& place);
  // What becomes of `from` in a pass from a step on, with the rules that did it.
  UOp image(const Walk& w, UOp root, UOp from, int64_t from_step, const Pass& pass, std::vector<ProvenanceHop>& hops);
  void replaced(const Walk& w, size_t i, const Pass& pass, ProvenanceHop::Kind kind, std::vector<ProvenanceHop>& hops);
  Result<void> through(const Pass& pass, int64_t from_step, std::vector<UOp>& live, Provenance& out);
  Result<void> kernels(const std::vector<UOp>& live, Provenance& out);
  int64_t match_around(const Pass& pass) const;  // whose rule ran this nested pass; 0: none
  // The first pass of a schedule (or of something else that a foreign trace records): its input is the program.
  bool begins_program(const Pass& pass) const {
    for (const Section& s : reader_.sections())
      if (s.id == pass.section && s.kind == "kernel") return false;
    return std::ranges::none_of(
        reader_.passes(), [&](const Pass& p) { return p.id < pass.id && p.section == pass.section && p.matches > 0; });
  }
  bool nested(const Pass& p) const {
    const Pass* up = reader_.pass(p.parent);
    return up != nullptr && !up->group;
  }
  std::string how(const ProvenanceHop& hop);

  Reader& reader_;
  const SearchIndex& index_;
  const std::stop_token& stop_;
};

Result<Following::Walk> Following::walk(const Pass& pass, int64_t steps) {
  Walk w;
  auto matches = reader_.matches(pass.id, 0, std::min(steps, kMostMatches));
  if (!matches) return tl::unexpected(matches.error());
  w.matches = std::move(*matches);
  for (const StepMatch& m : w.matches) {
    const auto before = reader_.node(m.before);
    if (!before) return tl::unexpected(before.error());
    const auto after = m.after == 0 ? Result<UOp>(UOp{}) : reader_.node(m.after);
    if (!after) return tl::unexpected(after.error());
    w.map.emplace_back(*before, *after);
  }
  const auto input = reader_.node(pass.input);
  if (!input) return tl::unexpected(input.error());
  const auto root = graph_after(*input, w.map, {pass.bottom_up, pass.walk, pass.enter_calls}, &w.rebuilt);
  if (!root) return tl::unexpected(root.error());
  w.root = *root;
  return w;
}

// The number of the node that this one is, around other sources; 0: not known.
Result<int64_t> Following::before_rebuilding(int64_t node, const Place& place) {
  const Pass* pass = reader_.pass(place.pass);
  if (pass == nullptr || pass->input == 0) return 0;
  const auto u = reader_.node(node);
  if (!u) return tl::unexpected(u.error());
  const auto w = walk(*pass, place.step);
  if (!w) return 0;  // the graph of a rewrite that does not end
  UOp was = *u;
  for (size_t i = 0; i <= w->rebuilt.size(); ++i) {
    const auto it = std::ranges::find(w->rebuilt, was, &std::pair<UOp, UOp>::first);
    if (it == w->rebuilt.end()) return 0;
    was = it->second;
    if (const int64_t n = reader_.number_of(was); n != 0 && n != node) return n;
  }
  return 0;
}

int64_t Following::match_around(const Pass& pass) const {
  if (!nested(pass)) return 0;
  // it is recorded once its rule is done, so behind everything that happened within
  for (int64_t id = index_.matches_before(pass.id) + 1; id <= index_.match_count(); ++id)
    if (index_.match(id).pass == pass.parent) return id;
  return 0;
}

std::string Following::how(const ProvenanceHop& hop) {
  switch (hop.kind) {
    case ProvenanceHop::Kind::MadeBy:
      return "made by " + reader_.rule_name(hop.rule);
    case ProvenanceHop::Kind::Rebuilt:
      return "rebuilt around new sources";
    case ProvenanceHop::Kind::Given:
      return "built by " + reader_.rule_name(hop.rule) + " for a pass of its own";
    case ProvenanceHop::Kind::Input:
      if (const auto m = reader_.metadata(hop.node))
        return "in the program: " + one_line(m->name + " " + m->location, 80);
      return "in the program";
    case ProvenanceHop::Kind::TakenUp:
      return "taken up by " + reader_.rule_name(hop.rule) + " in";
    case ProvenanceHop::Kind::Kernel:
      return "part of kernel";
    case ProvenanceHop::Kind::Gone:
      return "no longer there after";
    case ProvenanceHop::Kind::Between:
      break;
  }
  return "put together between matches";
}

Result<void> Following::back(int64_t node, Provenance& out) {
  for (int64_t at = node; at != 0;) {
    if (stop_.stop_requested()) return {};
    if (out.path.size() >= kMostHops) {
      out.cut = true;
      break;
    }
    const SearchIndex::Origin from = index_.origin(at);
    const auto u = reader_.node(at);
    if (!u) return tl::unexpected(u.error());
    ProvenanceHop hop;
    hop.kind = ProvenanceHop::Kind::Between;
    hop.place = from.place;
    hop.node = at;
    hop.title = describe(*u);
    int64_t before = 0;
    if (from.how == SearchIndex::Shown::ByMatch) {
      hop.kind = ProvenanceHop::Kind::MadeBy;
      hop.match = from.match;
      before = index_.match(from.match).before;
    } else if (from.how == SearchIndex::Shown::BeforeMatch || from.how == SearchIndex::Shown::AtEnd) {
      const auto was = before_rebuilding(at, from.place);
      if (!was) return tl::unexpected(was.error());
      before = *was;
      if (before != 0) hop.kind = ProvenanceHop::Kind::Rebuilt;
    } else if (from.how == SearchIndex::Shown::AsInput) {
      const Pass& pass = *reader_.pass(from.place.pass);
      hop.match = match_around(pass);
      if (hop.match != 0) {
        hop.kind = ProvenanceHop::Kind::Given;
        before = index_.match(hop.match).before;
      } else if (begins_program(pass)) {
        hop.kind = ProvenanceHop::Kind::Input;
      }
    }
    if (hop.match != 0) hop.rule = index_.match(hop.match).rule;
    hop.how = how(hop);
    out.path.push_back(std::move(hop));
    // numbers fall on the way back, so that a file with a circle of matches has an end here
    at = before < at ? before : 0;
  }
  std::ranges::reverse(out.path);
  out.self = out.path.empty() ? 0 : out.path.size() - 1;
  return {};
}

void Following::replaced(const Walk& w, size_t i, const Pass& pass, ProvenanceHop::Kind kind,
                         std::vector<ProvenanceHop>& hops) {
  if (hops.size() >= kMostHops) return;
  const StepMatch& m = w.matches[i];
  ProvenanceHop hop;
  hop.kind = kind;
  hop.place = {pass.id, static_cast<int64_t>(i) + 1};
  hop.node = m.after;
  hop.match = m.id;
  hop.rule = m.rule;
  hop.title = describe(w.map[i].second);
  hop.how = how(hop);
  hops.push_back(std::move(hop));
}

UOp Following::image(const Walk& w, UOp root, UOp from, int64_t from_step, const Pass& pass,
                     std::vector<ProvenanceHop>& hops) {
  auto step = static_cast<size_t>(std::max<int64_t>(0, from_step));
  std::unordered_map<uint32_t, size_t> by_before;  // by node id; looked up, never iterated
  for (size_t i = step; i < w.map.size(); ++i)
    if (w.map[i].second) by_before[w.map[i].first.id()] = i;
  std::unordered_map<uint32_t, UOp> remade;
  for (const auto& [made, was] : w.rebuilt) remade.try_emplace(was.id(), made);
  for (size_t turns = 0; turns <= w.map.size() + w.rebuilt.size(); ++turns) {
    if (const auto it = by_before.find(from.id()); it != by_before.end() && it->second >= step) {
      step = it->second;
      from = w.map[step].second;
      replaced(w, step++, pass, ProvenanceHop::Kind::MadeBy, hops);
      if (pass.walk) return from;
      continue;
    }
    if (const auto again = remade.find(from.id()); again != remade.end()) {
      from = again->second;
      continue;
    }
    if (root.in_backward_slice_with_self(from)) return from;
    // a rule that replaced a user of it may have taken it in
    const auto takes = [&](size_t i) {
      const auto& [before, after] = w.map[i];
      return after && std::ranges::find(before.srcs(), from) != before.srcs().end();
    };
    while (step < w.map.size() && !takes(step)) ++step;
    if (step == w.map.size()) return from;
    from = w.map[step].second;
    replaced(w, step++, pass, ProvenanceHop::Kind::TakenUp, hops);
    if (pass.walk) return from;
  }
  return from;
}

// Takes what is live through a pass, and drops what is no longer there at its end.
Result<void> Following::through(const Pass& pass, int64_t from_step, std::vector<UOp>& live, Provenance& out) {
  if (pass.output == 0 || pass.matches == 0) return {};
  const auto input = reader_.node(pass.input);
  if (!input) return tl::unexpected(input.error());
  // some passes rewrite other graphs than the program's
  const auto concerns = [&](UOp u) { return from_step > 0 || input->in_backward_slice_with_self(u); };
  if (std::ranges::none_of(live, concerns)) return {};
  const auto output = reader_.node(pass.output);
  if (!output) return tl::unexpected(output.error());
  const auto here = [&](UOp u) { return output->in_backward_slice_with_self(u); };
  const auto w = walk(pass, pass.matches);
  if (!w) return {};  // a rewrite in a circle has no end to be followed to
  std::vector<UOp> next;
  const auto keep = [&](UOp u) {
    if (next.size() < kMostImages && std::ranges::find(next, u) == next.end()) next.push_back(u);
  };
  for (const UOp u : live) {
    if (stop_.stop_requested()) return {};
    if (!concerns(u)) {
      keep(u);
      continue;
    }
    std::vector<ProvenanceHop> hops;
    const UOp now = image(*w, *output, u, from_step, pass, hops);
    if (here(now)) keep(now);
    // a rule may have taken it into a pass of its own
    for (int64_t id = pass.id + 1; !here(now) && id <= static_cast<int64_t>(reader_.passes().size()); ++id) {
      const Pass& inner = *reader_.pass(id);
      if (inner.depth <= pass.depth || stop_.stop_requested()) break;
      if (inner.input == 0 || inner.matches == 0) continue;
      const auto inner_input = reader_.node(inner.input);
      if (!inner_input) return tl::unexpected(inner_input.error());
      for (const UOp candidate : {u, now}) {
        if (!(*inner_input).in_backward_slice_with_self(candidate)) continue;
        const auto inside = walk(inner, inner.matches);
        if (!inside) continue;
        std::vector<ProvenanceHop> within;
        const UOp then = image(*inside, inside->root, candidate, 0, inner, within);
        if (!here(then)) continue;
        keep(then);
        if (candidate == now) out.path.insert(out.path.end(), hops.begin(), hops.end());
        out.path.insert(out.path.end(), within.begin(), within.end());
        hops.clear();
        break;
      }
    }
    out.path.insert(out.path.end(), hops.begin(), hops.end());
  }
  if (next.empty() && !stop_.stop_requested()) {
    ProvenanceHop gone;
    gone.kind = ProvenanceHop::Kind::Gone;
    gone.place = {pass.id, pass.matches};
    gone.title = one_line(pass.name, 60);
    gone.how = how(gone);
    out.path.push_back(std::move(gone));
  }
  live = std::move(next);
  return {};
}

Result<void> Following::kernels(const std::vector<UOp>& live, Provenance& out) {
  const auto schedule = reader_.schedule();
  if (!schedule) return tl::unexpected(schedule.error());
  const auto kernels = reader_.kernels();
  if (!kernels) return tl::unexpected(kernels.error());
  std::vector<int64_t> seen;
  for (const ScheduleItem& item : *schedule) {
    if (item.ast == 0 || stop_.stop_requested()) continue;
    if (std::ranges::find(seen, item.ast) != seen.end()) continue;
    seen.push_back(item.ast);
    const auto ast = reader_.node(item.ast);
    if (!ast) return tl::unexpected(ast.error());
    const auto within = [&](UOp u) {
      return ast->in_backward_slice_with_self(u) || (u.in(kCallOps) && u.src_count() > 0 && u.src(0) == *ast);
    };
    if (std::ranges::none_of(live, within)) continue;
    ProvenanceHop hop;
    hop.kind = ProvenanceHop::Kind::Kernel;
    hop.item = item.id;
    hop.title = fmt::format("{} {}", item.kind, item.id);
    for (const Kernel& k : *kernels)
      if (k.id == item.kernel) hop.title = k.name;
    hop.how = how(hop);
    out.path.push_back(std::move(hop));
    if (seen.size() >= 4096 || out.path.size() >= kMostHops + kMostKernels) {
      out.cut = true;
      break;
    }
  }
  return {};
}

Result<void> Following::on(int64_t node, Provenance& out) {
  Place at = index_.place_of_node(node);
  if (at.pass == 0) return {};
  const auto u = reader_.node(node);
  if (!u) return tl::unexpected(u.error());
  std::vector<UOp> live{*u};
  // out of nested passes: what they give stands in the replacement of the match around them
  for (const Pass* p = reader_.pass(at.pass); p != nullptr && nested(*p); p = reader_.pass(at.pass)) {
    if (auto r = through(*p, at.step, live, out); !r) return r;
    const int64_t around = match_around(*p);
    if (live.empty() || around == 0) return {};
    at = index_.place_of_match(around);
  }
  const int64_t section = reader_.pass(at.pass)->section;
  int64_t from = at.step;
  for (int64_t id = at.pass; id <= static_cast<int64_t>(reader_.passes().size()); ++id, from = 0) {
    const Pass& p = *reader_.pass(id);
    if (p.section != section) break;
    if (p.group || nested(p)) continue;
    if (stop_.stop_requested()) return {};
    if (auto r = through(p, id == at.pass ? from : 0, live, out); !r) return r;
    if (live.empty()) return {};
  }
  return kernels(live, out);
}

}  // namespace

Result<std::optional<Provenance>> provenance(Searcher& searcher, int64_t node, const std::stop_token& stop) {
  if (node < 1 || node > searcher.reader().node_count())
    return refuse(fmt::format("there is no node {}: this trace has {}.", node, searcher.reader().node_count()));
  const auto ready = searcher.complete({}, stop);
  if (!ready) return tl::unexpected(ready.error());
  if (!*ready) return std::optional<Provenance>{};
  Provenance out;
  const auto graphs = searcher.graphs();
  if (!graphs) return tl::unexpected(graphs.error());
  Following following(**graphs, searcher.index(), stop);
  if (auto r = following.back(node, out); !r) return tl::unexpected(r.error());
  if (auto r = following.on(node, out); !r) return tl::unexpected(r.error());
  if (stop.stop_requested()) return std::optional<Provenance>{};
  return std::optional(std::move(out));
}

}  // namespace rangescope::trace
