#include "engine/trace/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "engine/ir/text.h"
#include "engine/trace/node_blocks.h"
#include "engine/trace/structure.h"

namespace rangescope::trace {

namespace {

constexpr std::string_view kScheduling = "get_kernel_graph";  // the group that is one program's scheduling
constexpr int64_t kMatchesAtATime = 8192;

// Passes from `first` up to, not including, `last`; depth counts from `depth`.
struct Range {
  std::string name;
  size_t first = 0, last = 0;
  int64_t depth = 0;
  uint64_t root = 0;  // structure of what it begins with
};

struct Side {
  Side(Reader& r, std::vector<uint64_t> s) : reader(r), structure(std::move(s)), nodes(r.database(), r.store()) {
    nodes.set_node_count(r.node_count());
  }
  Reader& reader;
  std::vector<uint64_t> structure;
  mutable NodeBlocks nodes;  // decodes what it is asked for

  uint64_t of(int64_t node) const {
    return node > 0 && node < static_cast<int64_t>(structure.size()) ? structure[static_cast<size_t>(node)] : 0;
  }
  std::string label(int64_t node) const {
    if (node == 0) return "nothing";
    const auto u = reader.node(node);
    return u ? fmt::format("{} (node {})", short_label(*u, 100), node) : u.error().message;
  }
  // Rules of different traces are the same where they stand in the same line of the reference.
  std::string rule(int64_t id) const {
    const RuleInfo* r = reader.rule(id);
    return r == nullptr ? std::string() : r->ref.empty() ? r->name : r->ref;
  }
  std::string rule_text(int64_t id) const {
    const RuleInfo* r = reader.rule(id);
    if (r == nullptr) return "no rule";
    return r->ref.empty() || r->name.find(r->ref) != std::string::npos ? r->name
                                                                       : fmt::format("{} ({})", r->name, r->ref);
  }
};

// The parts of a trace that are compared: every scheduling, and every kernel's code generation.
std::pair<std::vector<Range>, std::vector<Range>> parts_of(const Side& side) {
  const std::vector<Pass>& passes = side.reader.passes();
  std::vector<Range> schedules, kernels, whole;
  for (size_t i = 0; i < passes.size(); ++i) {
    if (!passes[i].group || passes[i].name != kScheduling) continue;
    size_t end = i + 1;
    while (end < passes.size() && passes[end].section == passes[i].section && passes[end].depth > passes[i].depth)
      ++end;
    schedules.push_back({fmt::format("schedule {}", schedules.size() + 1), i, end, passes[i].depth, 0});
  }
  for (const Section& s : side.reader.sections()) {
    const auto of_section = [&](const Pass& p) { return p.section == s.id; };
    const auto first = std::ranges::find_if(passes, of_section);
    const auto last = std::find_if_not(first, passes.end(), of_section);
    if (first == last) continue;
    Range r{s.name, static_cast<size_t>(first - passes.begin()), static_cast<size_t>(last - passes.begin()), 0,
            side.of(first->input)};
    if (s.kind == "kernel")
      kernels.push_back(std::move(r));
    else if (s.kind == "schedule")
      whole.push_back(std::move(r));
  }
  // neither scheduler of the reference's shape: compare all of it
  return {schedules.empty() ? std::move(whole) : std::move(schedules), std::move(kernels)};
}

class Comparison {
 public:
  Comparison(const Side& a, const Side& b) : a_(a), b_(b) {}
  Result<DiffPart> compare(const Range& a, const Range& b);

 private:
  Result<bool> passes(const Pass& p, const Pass& q, DiffPart& out) const;
  Result<bool> matches(const Pass& p, const Pass& q, DiffPart& out) const;
  bool graphs(const Pass& p, const Pass& q, int64_t x, int64_t y, const char* what, DiffPart& out) const {
    if (a_.of(x) == b_.of(y)) return true;
    auto [s, t] = parting(x, y);
    out.difference = Difference{what, 0, {p.id, p.name, 0, x, std::move(s)}, {q.id, q.name, 0, y, std::move(t)}};
    return false;
  }
  // Two graphs that differ, and where: the first nodes below them that are not only different in their sources.
  std::pair<std::string, std::string> parting(int64_t x, int64_t y) const;

  const Side &a_, &b_;
};

std::pair<std::string, std::string> Comparison::parting(int64_t x, int64_t y) const {
  std::pair<std::string, std::string> out{a_.label(x), b_.label(y)};
  std::string path;
  int64_t s = x, t = y;
  for (;;) {
    const auto p = a_.nodes.packed(s), q = b_.nodes.packed(t);
    if (s == 0 || t == 0 || !p || !q) return out;
    const PackedNode &m = **p, &n = **q;
    const size_t common = std::min(m.srcs.size(), n.srcs.size());
    size_t i = 0;
    while (i < common && a_.of(m.srcs[i]) == b_.of(n.srcs[i])) ++i;
    const auto u = a_.reader.node(s), v = b_.reader.node(t);
    if (!u || !v || u->op() != v->op() || u->dtype() != v->dtype() || !(u->arg() == v->arg()) ||
        !(u->tag() == v->tag()) || i == common)
      break;
    const int64_t next_s = m.srcs[i], next_t = n.srcs[i];  // a block that is read next may move these
    fmt::format_to(std::back_inserter(path), "{}{}", path.empty() ? "" : ".", i);
    s = next_s;
    t = next_t;
  }
  if (path.empty()) return out;
  if (path.size() > 60) path = "..." + path.substr(path.size() - 57);
  out.first += fmt::format(", at source {}: {}", path, a_.label(s));
  out.second += fmt::format(", at source {}: {}", path, b_.label(t));
  return out;
}

Result<DiffPart> Comparison::compare(const Range& a, const Range& b) {
  DiffPart out;
  out.name = a.name;
  const std::vector<Pass>&ps = a_.reader.passes(), &qs = b_.reader.passes();
  size_t i = a.first, j = b.first;
  for (; i < a.last && j < b.last; ++i, ++j) {
    const Pass &p = ps[i], &q = qs[j];
    if (p.name != q.name || p.depth - a.depth != q.depth - b.depth || p.group != q.group) {
      const auto text = [](const Pass& x, int64_t depth) {
        return fmt::format("pass {} '{}', depth {}{}", x.id, x.name, x.depth - depth, x.group ? ", a group" : "");
      };
      out.difference =
          Difference{"pass", 0, {p.id, p.name, 0, 0, text(p, a.depth)}, {q.id, q.name, 0, 0, text(q, b.depth)}};
      return out;
    }
    const auto same = passes(p, q, out);
    if (!same) return tl::unexpected(same.error());
    if (!*same) return out;
    ++out.passes;
  }
  if (i < a.last || j < b.last) {
    const auto side = [](const Pass* p) {
      return p == nullptr ? DiffSide{0, "", 0, 0, "no more passes"}
                          : DiffSide{p->id, p->name, 0, 0, fmt::format("pass {} '{}'", p->id, p->name)};
    };
    out.difference = Difference{"pass", 0, side(i < a.last ? &ps[i] : nullptr), side(j < b.last ? &qs[j] : nullptr)};
  }
  return out;
}

// Whether the two passes are the same; if not, says where they part.
Result<bool> Comparison::passes(const Pass& p, const Pass& q, DiffPart& out) const {
  if (p.group) return true;
  if (p.bottom_up != q.bottom_up || p.walk != q.walk || p.enter_calls != q.enter_calls) {
    const auto text = [](const Pass& x) {
      return fmt::format("bottom_up={} walk={} enter_calls={}", x.bottom_up, x.walk, x.enter_calls);
    };
    out.difference = Difference{"flags", 0, {p.id, p.name, 0, 0, text(p)}, {q.id, q.name, 0, 0, text(q)}};
    return false;
  }
  if (!graphs(p, q, p.input, q.input, "input", out)) return false;
  auto same = matches(p, q, out);
  if (!same || !*same) return same;
  return graphs(p, q, p.output, q.output, "output", out);
}

Result<bool> Comparison::matches(const Pass& p, const Pass& q, DiffPart& out) const {
  for (int64_t from = 0;; from += kMatchesAtATime) {
    const auto ms = a_.reader.matches(p.id, from, kMatchesAtATime), ns = b_.reader.matches(q.id, from, kMatchesAtATime);
    if (!ms) return tl::unexpected(ms.error());
    if (!ns) return tl::unexpected(ns.error());
    const size_t common = std::min(ms->size(), ns->size());
    for (size_t k = 0; k < common; ++k) {
      const StepMatch &m = (*ms)[k], &n = (*ns)[k];
      const auto differ = [&](const char* what, int64_t x, int64_t y, std::string s, std::string t) {
        out.difference = Difference{what,
                                    from + static_cast<int64_t>(k),
                                    {p.id, p.name, m.id, x, std::move(s)},
                                    {q.id, q.name, n.id, y, std::move(t)}};
        return false;
      };
      if (a_.rule(m.rule) != b_.rule(n.rule))
        return differ("rule", m.before, n.before, a_.rule_text(m.rule) + " on " + a_.label(m.before),
                      b_.rule_text(n.rule) + " on " + b_.label(n.before));
      for (const auto& [what, x, y] : {std::tuple{"before", m.before, n.before}, std::tuple{"after", m.after, n.after}})
        if (a_.of(x) != b_.of(y)) {
          auto [s, t] = parting(x, y);
          return differ(what, x, y, std::move(s), std::move(t));
        }
      ++out.matches;
    }
    if (ms->size() != ns->size()) {
      const auto side = [&](const Side& s, const Pass& x, const std::vector<StepMatch>& some) {
        if (some.size() == common) return DiffSide{x.id, x.name, 0, 0, "no more matches"};
        const StepMatch& m = some[common];
        return DiffSide{x.id, x.name, m.id, m.before, s.rule_text(m.rule) + " on " + s.label(m.before)};
      };
      out.difference = Difference{"count", from + static_cast<int64_t>(common), side(a_, p, *ms), side(b_, q, *ns)};
      return false;
    }
    if (common < static_cast<size_t>(kMatchesAtATime)) return true;
  }
}

}  // namespace

bool TraceDiff::same() const {
  return only_a.empty() && only_b.empty() &&
         std::ranges::all_of(parts, [](const DiffPart& p) { return !p.difference; });
}

std::string describe(const Difference& x) {
  const std::string pass = fmt::format("pass '{}'", x.a.pass != 0 ? x.a.name : x.b.name);
  if (x.what == "pass") return "the passes differ";
  if (x.what == "flags" || x.what == "input" || x.what == "output")
    return fmt::format("{}: its {} differs", pass, x.what);
  if (x.what == "count") return fmt::format("{}: one ends after {} matches", pass, x.index);
  return fmt::format("{}, match {}: the {} differs", pass, x.index, x.what);
}

int64_t step_of(const Difference& x, const DiffSide& side) {
  if (x.what == "output") return INT64_MAX;
  if (x.what == "pass" || x.what == "flags" || x.what == "input") return 0;
  return side.match != 0 ? x.index + 1 : x.index;
}

Result<TraceDiff> diff(Reader& a, Reader& b, const DiffOptions& options) {
  // numbering the nodes is nearly all of it
  const auto stage = [&](double from, double to) -> std::function<bool(double)> {
    if (!options.progress) return {};
    return [&options, from, to](double x) { return options.progress(from + x * (to - from)); };
  };
  auto sa = structure_of_nodes(a, options.ignore_numbers, stage(0, 0.4));
  if (!sa) return tl::unexpected(sa.error());
  auto sb = structure_of_nodes(b, options.ignore_numbers, stage(0.4, 0.8));
  if (!sb) return tl::unexpected(sb.error());
  const Side x(a, std::move(*sa)), y(b, std::move(*sb));
  const auto [schedules_a, kernels_a] = parts_of(x);
  const auto [schedules_b, kernels_b] = parts_of(y);
  TraceDiff out;
  Comparison comparison(x, y);
  size_t compared = 0;
  const auto stopped = [&options, &compared, all = static_cast<double>(schedules_a.size() + kernels_a.size())] {
    return options.progress && !options.progress(0.8 + 0.2 * static_cast<double>(compared++) / std::max(all, 1.0));
  };
  for (size_t i = 0; i < std::max(schedules_a.size(), schedules_b.size()); ++i) {
    if (stopped()) return tl::unexpected(Error{"stopped."});
    if (i >= schedules_a.size() || i >= schedules_b.size()) {
      (i < schedules_a.size() ? out.only_a : out.only_b)
          .push_back((i < schedules_a.size() ? schedules_a : schedules_b)[i].name);
      continue;
    }
    auto part = comparison.compare(schedules_a[i], schedules_b[i]);
    if (!part) return tl::unexpected(part.error());
    out.parts.push_back(std::move(*part));
  }
  // code generation, kernel by kernel: the same is the one that begins with the same graph
  if (kernels_a.empty() || kernels_b.empty()) return out;
  std::vector<bool> used(kernels_b.size(), false);
  for (const Range& k : kernels_a) {
    if (stopped()) return tl::unexpected(Error{"stopped."});
    size_t j = 0;
    while (j < kernels_b.size() && (used[j] || kernels_b[j].root != k.root)) ++j;
    if (j == kernels_b.size()) {
      out.only_a.push_back(k.name);
      continue;
    }
    used[j] = true;
    auto part = comparison.compare(k, kernels_b[j]);
    if (!part) return tl::unexpected(part.error());
    out.parts.push_back(std::move(*part));
  }
  for (size_t j = 0; j < kernels_b.size(); ++j)
    if (!used[j]) out.only_b.push_back(kernels_b[j].name);
  return out;
}

}  // namespace rangescope::trace
