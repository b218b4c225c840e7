#include "engine/trace/pathologies.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <unordered_map>

#include "engine/ir/traversal.h"

namespace rangescope::trace {

namespace {

constexpr size_t kMostGrowths = 200;
constexpr size_t kMostUndone = 500;

class Looking {
 public:
  Looking(Searcher& searcher, const std::function<void(double)>& progress, const std::stop_token& stop)
      : searcher_(searcher), reader_(searcher.reader()), index_(searcher.index()), progress_(progress), stop_(stop) {}

  void rules(Pathologies& out) const;
  void idle(Pathologies& out) const;
  void undone(Pathologies& out) const;
  Result<void> growth(Pathologies& out) const;

 private:
  Searcher& searcher_;
  const Reader& reader_;
  const SearchIndex& index_;
  const std::function<void(double)>& progress_;
  const std::stop_token& stop_;
};

void Looking::rules(Pathologies& out) const {
  std::map<int64_t, RuleCost> costs;
  int64_t all = 0;
  for (int64_t id = 1; id <= index_.match_count(); ++id) {
    const SearchIndex::Match& m = index_.match(id);
    if (m.after == 0) continue;
    RuleCost& c = costs[m.rule];
    if (c.fired++ == 0) c.first = index_.place_of_match(id);
    c.ns += m.ns;
    all += m.ns;
  }
  for (auto& [rule, c] : costs) {
    c.rule = rule;
    c.name = reader_.rule_name(rule);
    c.share = all == 0 ? 0 : static_cast<double>(c.ns) / static_cast<double>(all);
    out.rules.push_back(c);
  }
  std::ranges::stable_sort(out.rules, std::greater<>(), &RuleCost::ns);
}

void Looking::idle(Pathologies& out) const {
  std::map<std::string, IdlePass> by_name;
  for (const Pass& p : reader_.passes()) {
    if (p.group || p.output == 0) continue;
    IdlePass& i = by_name[p.name];
    ++i.runs;
    if (p.matches != 0 || p.input != p.output) continue;
    if (i.times++ == 0) i.first = p.id;
    i.ns += p.ns;
  }
  for (auto& [name, i] : by_name) {
    if (i.times == 0) continue;
    i.name = name;
    out.idle.push_back(i);
  }
  std::ranges::stable_sort(out.idle, std::greater<>(), &IdlePass::ns);
}

void Looking::undone(Pathologies& out) const {
  std::unordered_map<uint64_t, int64_t> done;                     // (before, after) -> match; looked up, never iterated
  std::map<std::tuple<int64_t, int64_t, int64_t>, size_t> known;  // pass, rule, rule -> place in out
  const auto key = [](uint32_t before, uint32_t after) { return uint64_t{before} << 32 | after; };
  for (int64_t id = 1; id <= index_.match_count(); ++id) {
    const SearchIndex::Match& m = index_.match(id);
    if (m.after == 0 || m.before == m.after) continue;
    // a match that made a node which nothing had before turns nothing back
    if (const auto it = done.find(key(m.after, m.before));
        it != done.end() && index_.match(it->second).pass == m.pass) {
      const SearchIndex::Match& first = index_.match(it->second);
      const auto [at, fresh] = known.try_emplace({m.pass, first.rule, m.rule}, out.undone.size());
      if (fresh) {
        if (out.undone.size() >= kMostUndone) return;
        const Pass* pass = reader_.pass(m.pass);
        out.undone.push_back({m.pass, pass == nullptr ? "?" : pass->name, reader_.rule_name(first.rule),
                              reader_.rule_name(m.rule), it->second, id, index_.place_of_match(it->second),
                              index_.place_of_match(id), 0});
      }
      ++out.undone[at->second].times;
    }
    done[key(m.before, m.after)] = id;
  }
  std::ranges::stable_sort(out.undone, std::greater<>(), &Undone::times);
}

Result<void> Looking::growth(Pathologies& out) const {
  std::map<int64_t, int64_t> sizes;  // by root
  const auto size = [&](int64_t root) -> Result<int64_t> {
    if (const auto it = sizes.find(root); it != sizes.end()) return it->second;
    const auto graphs = searcher_.graphs();
    if (!graphs) return tl::unexpected(graphs.error());
    const auto u = (*graphs)->node(root);
    if (!u) return tl::unexpected(u.error());
    return sizes[root] = static_cast<int64_t>(toposort(*u).size());
  };
  const auto& passes = reader_.passes();
  for (size_t i = 0; i < passes.size(); ++i) {
    if (stop_.stop_requested()) return {};
    if (progress_ && i % 16 == 0) progress_(static_cast<double>(i + 1) / static_cast<double>(passes.size()));
    const Pass& p = passes[i];
    if (p.input == 0 || p.output == 0 || p.input == p.output) continue;
    const auto before = size(p.input);
    if (!before) return tl::unexpected(before.error());
    const auto after = size(p.output);
    if (!after) return tl::unexpected(after.error());
    if (*before != *after) out.growth.push_back({p.id, p.name, *before, *after});
  }
  std::ranges::stable_sort(out.growth, std::greater<>(), [](const Growth& g) { return g.after - g.before; });
  if (out.growth.size() > kMostGrowths) {
    // what grew most and what shrank most
    out.growth.erase(out.growth.begin() + kMostGrowths / 2, out.growth.end() - kMostGrowths / 2);
  }
  return {};
}

}  // namespace

Result<std::optional<Pathologies>> pathologies(Searcher& searcher, const std::function<void(double)>& progress,
                                               const std::stop_token& stop) {
  const auto ready = searcher.complete(progress, stop);
  if (!ready) return tl::unexpected(ready.error());
  if (!*ready) return std::optional<Pathologies>{};
  Pathologies out;
  const Looking looking(searcher, progress, stop);
  looking.rules(out);
  looking.idle(out);
  looking.undone(out);
  if (auto r = looking.growth(out); !r) return tl::unexpected(r.error());
  if (stop.stop_requested()) return std::optional<Pathologies>{};
  return std::optional(std::move(out));
}

}  // namespace rangescope::trace
