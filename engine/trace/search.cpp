#include "engine/trace/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/ir/json.h"
#include "engine/ir/text.h"
#include "engine/trace/describe.h"
#include "engine/trace/each_row.h"

namespace rangescope::trace {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kUpdateEvery = std::chrono::milliseconds(50);
constexpr auto kIndexSlice = std::chrono::milliseconds(20);
constexpr int64_t kLookEvery = 4096;        // entries between two looks at the clock
constexpr size_t kNodesInMemory = 400'000;  // of the reader that searches materialise nodes in
constexpr int64_t kMostRules = 1 << 24;     // the same of rules
constexpr int64_t kMostArgs = 50'000'000;   // numbers of args beyond this are damage

bool all_hold(const std::vector<NameTest>& tests, std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(tests, [&](const NameTest& t) { return t.any_of(names); });
}

}  // namespace

Result<std::unique_ptr<Searcher>> Searcher::open(const std::string& path) {
  auto reader = Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  std::unique_ptr<Searcher> s(new Searcher());
  s->reader_ = std::move(*reader);
  s->index_ = std::make_unique<SearchIndex>(*s->reader_);
  return s;
}

Result<bool> Searcher::prepare(std::chrono::milliseconds time, const std::stop_token& stop) {
  auto done = index_->extend(time, stop);
  // opening the second reader of a large trace would hold up the first hits
  if (done && *done)
    if (const auto ready = graphs(); !ready) return tl::unexpected(ready.error());
  return done;
}

Result<bool> Searcher::complete(const std::function<void(double)>& progress, const std::stop_token& stop) {
  while (!index_->complete()) {
    if (stop.stop_requested()) return false;
    if (auto r = index_->extend(kIndexSlice, stop); !r) return tl::unexpected(r.error());
    if (progress) progress(index_->progress());
  }
  return true;
}

Result<Reader*> Searcher::graphs() {
  if (!graphs_ || graphs_->store().node_count() > kNodesInMemory) {
    auto fresh = Reader::open(reader_->path());
    if (!fresh) return tl::unexpected(fresh.error());
    graphs_ = std::move(*fresh);
  }
  return graphs_.get();
}

Result<void> Searcher::load_args() {
  if (args_loaded_) return {};
  auto r =
      each_row(reader_->database(), "SELECT id, json FROM args ORDER BY id", [&](const Statement& s) -> Result<void> {
        const int64_t id = s.integer(0);
        if (id < 1 || id > kMostArgs)
          return tl::unexpected(
              Error{fmt::format("{} is damaged: argument {}. Record it again.", reader_->path(), id)});
        if (static_cast<size_t>(id) >= args_.size()) args_.resize(static_cast<size_t>(id) + 1);
        ArgText& a = args_[static_cast<size_t>(id)];
        a.json = s.text(1);
        if (const auto arg = read_arg(a.json)) a.text = to_string(*arg);
        return {};
      });
  args_loaded_ = r.has_value();
  return r;
}

// One search under way.
class SearchRun {
 public:
  SearchRun(Searcher& searcher, const SearchQuery& query, size_t per_kind,
            const std::function<void(SearchUpdate&&)>& update, const std::stop_token& stop)
      : s_(searcher), q_(query), per_kind_(per_kind), update_(update), stop_(stop), last_(Clock::now()) {}

  Result<SearchSummary> run();

 private:
  void passes();
  void rules();
  Result<void> kernels();
  Result<void> steps();
  Result<void> nodes();

  // What the query says about passes and rules, worked out once for each of them.
  Result<void> prepare_tables();
  Result<void> prepare_nodes();
  bool match_fits(int64_t id) const;
  bool step_text_fits(int64_t pass, int64_t rule) const;  // a step's text is that of its pass and its rule
  bool node_fits_cheaply(int64_t number, bool with_text) const;
  Result<bool> node_fits(int64_t number);  // cheaply fitting ones only
  bool needs_graph() const { return !q_.shape.empty(); }
  bool pass_fits(int64_t pass) const {
    return pass >= 0 && static_cast<size_t>(pass) < pass_ok_.size() && pass_ok_[static_cast<size_t>(pass)];
  }

  bool room(HitKind kind);              // counts a hit; false: no more of its kind are handed out
  Result<UOp> node_at(int64_t number);  // until the next one is looked at
  Result<void> step_hit(int64_t id);
  Result<void> node_hit(int64_t number);
  std::string rule_name(int64_t rule) const;
  bool look(double progress, bool indexing);  // false: stop
  void emit(double progress, bool indexing);
  // Reads on until the index holds at least this much; false: it ends before.
  Result<bool> reach_match(int64_t id);
  Result<bool> reach_node(int64_t number);

  Searcher& s_;
  const SearchQuery& q_;
  size_t per_kind_;
  const std::function<void(SearchUpdate&&)>& update_;
  const std::stop_token& stop_;
  Clock::time_point last_;
  bool emitted_ = false;
  SearchSummary summary_;
  std::vector<SearchHit> pending_;
  std::vector<bool> pass_ok_, rule_ok_, arg_ok_;
  // Where a plain word stands in nodes: in the op's name, the argument, or the metadata (sorted node numbers).
  struct NodeWord {
    bool negated = false;
    std::vector<bool> ops, args;
    std::vector<int64_t> metadata;
  };
  std::vector<NodeWord> node_words_;
};

std::string SearchRun::rule_name(int64_t rule) const {
  const RuleInfo* r = s_.reader_->rule(rule);
  return r == nullptr ? "?" : r->name;
}

void SearchRun::emit(double progress, bool indexing) {
  emitted_ = emitted_ || !pending_.empty();
  last_ = Clock::now();
  if (update_) update_({std::move(pending_), progress, indexing});
  pending_.clear();
}

bool SearchRun::look(double progress, bool indexing) {
  if (stop_.stop_requested()) {
    summary_.stopped = true;
    return false;
  }
  if ((!emitted_ && !pending_.empty()) || Clock::now() - last_ > kUpdateEvery) emit(progress, indexing);
  return true;
}

bool SearchRun::room(HitKind kind) {
  int64_t& found = summary_.found[static_cast<size_t>(kind)];
  if (++found <= static_cast<int64_t>(per_kind_)) return true;
  summary_.cut = true;
  return false;
}

Result<void> SearchRun::prepare_tables() {
  const Reader& r = *s_.reader_;
  // code generation of a kernel stands in the section that its row names
  std::vector<int64_t> sections;
  if (!q_.kernel.empty()) {
    const auto kernels = s_.reader_->kernels();
    if (!kernels) return tl::unexpected(kernels.error());
    for (const Kernel& k : *kernels)
      if (all_hold(q_.kernel, {k.name})) sections.push_back(k.section);
    std::ranges::sort(sections);
  }
  pass_ok_.assign(r.passes().size() + 1, q_.pass.empty() && q_.kernel.empty());
  for (const Pass& p : r.passes())
    pass_ok_[static_cast<size_t>(p.id)] =
        all_hold(q_.pass, {p.name}) && (q_.kernel.empty() || std::ranges::binary_search(sections, p.section));
  for (const RuleInfo& rule : r.rules()) {
    if (rule.id < 1 || rule.id > kMostRules) continue;
    if (rule_ok_.size() <= static_cast<size_t>(rule.id)) rule_ok_.resize(static_cast<size_t>(rule.id) + 1);
    rule_ok_[static_cast<size_t>(rule.id)] = all_hold(q_.rule, {rule.name});
  }
  return {};
}

bool SearchRun::step_text_fits(int64_t pass, int64_t rule) const {
  if (q_.text.empty()) return true;
  const Pass* p = s_.reader_->pass(pass);
  const RuleInfo* r = s_.reader_->rule(rule);
  return all_hold(q_.text, {p == nullptr ? "" : p->name, r == nullptr ? "" : r->name});
}

void SearchRun::passes() {
  for (const Pass& p : s_.reader_->passes()) {
    if (!pass_fits(p.id) || !all_hold(q_.text, {p.name})) continue;
    if (!room(HitKind::Pass)) continue;
    SearchHit h;
    h.kind = HitKind::Pass;
    // a group has no graphs of its own: the first below it has
    const Pass* shown = &p;
    while (shown != nullptr && shown->group) {
      const Pass* next = s_.reader_->pass(shown->id + 1);
      shown = next != nullptr && next->parent == shown->id ? next : nullptr;
    }
    if (shown != nullptr) h.place = {shown->id, std::min<int64_t>(1, shown->matches)};
    h.title = one_line(p.name, 120);
    h.detail = p.group ? fmt::format("pass {}, a group", p.id)
                       : fmt::format("pass {}, {} match{}, {:.2f} ms", p.id, p.matches, p.matches == 1 ? "" : "es",
                                     static_cast<double>(p.ns) / 1e6);
    pending_.push_back(std::move(h));
  }
}

void SearchRun::rules() {
  for (const RuleInfo& r : s_.reader_->rules()) {
    if (!all_hold(q_.rule, {r.name}) || !all_hold(q_.text, {r.name, r.explanation, r.ref})) continue;
    if (!room(HitKind::Rule)) continue;
    SearchHit h;
    h.kind = HitKind::Rule;
    h.rule = r.id;
    h.title = one_line(r.name, 120);
    h.detail = one_line(r.explanation.empty() ? r.ref : r.explanation, 160);
    pending_.push_back(std::move(h));
  }
}

Result<void> SearchRun::kernels() {
  const auto kernels = s_.reader_->kernels();
  if (!kernels) return tl::unexpected(kernels.error());
  std::vector<ScheduleItem> items;
  if (!kernels->empty()) {
    auto schedule = s_.reader_->schedule();
    if (!schedule) return tl::unexpected(schedule.error());
    items = std::move(*schedule);
  }
  for (const Kernel& k : *kernels) {
    if (!all_hold(q_.kernel, {k.name}) || !all_hold(q_.text, {k.name})) continue;
    if (!room(HitKind::Kernel)) continue;
    SearchHit h;
    h.kind = HitKind::Kernel;
    h.kernel = k.id;
    h.node = k.ast;
    int64_t uses = 0;
    for (const ScheduleItem& i : items)
      if (i.kernel == k.id && uses++ == 0) h.item = i.id;
    h.title = one_line(k.name, 120);
    h.detail = fmt::format("kernel {}, launched {} time{} a run", k.id, uses, uses == 1 ? "" : "s");
    pending_.push_back(std::move(h));
  }
  return {};
}

Result<bool> SearchRun::reach_match(int64_t id) {
  const SearchIndex& index = s_.index();
  while (index.match_count() < id && !index.matches_complete()) {
    if (!look(index.progress(), true)) return false;
    if (auto r = s_.index_->extend(kIndexSlice, stop_); !r) return tl::unexpected(r.error());
  }
  return index.match_count() >= id;
}

Result<bool> SearchRun::reach_node(int64_t number) {
  const SearchIndex& index = s_.index();
  while (index.node_count() < number && !index.complete()) {
    if (!look(index.progress(), true)) return false;
    if (auto r = s_.index_->extend(kIndexSlice, stop_); !r) return tl::unexpected(r.error());
  }
  return index.node_count() >= number;
}

bool SearchRun::match_fits(int64_t id) const {
  const SearchIndex::Match& m = s_.index().match(id);
  if (!pass_fits(m.pass) || m.rule >= rule_ok_.size() || !rule_ok_[m.rule]) return false;
  if (m.ns < q_.least_ns || m.ns > q_.most_ns) return false;
  if (!q_.touches.empty()) {
    const auto touched = [&](int64_t n) {
      return m.before == n || m.after == n || (n <= s_.index().node_count() && s_.index().node(n).made_by == id);
    };
    if (!std::ranges::any_of(q_.touches, touched)) return false;
  }
  if (q_.before && !q_.before->contains(s_.index().node(m.before).op)) return false;
  if (q_.after && (m.after == 0 || !q_.after->contains(s_.index().node(m.after).op))) return false;
  return step_text_fits(m.pass, m.rule);
}

Result<UOp> SearchRun::node_at(int64_t number) {
  const auto reader = s_.graphs();
  if (!reader) return tl::unexpected(reader.error());
  return (*reader)->node(number);
}

Result<void> SearchRun::step_hit(int64_t id) {
  if (!room(HitKind::Step)) return {};
  const SearchIndex::Match m = s_.index().match(id);
  SearchHit h;
  h.kind = HitKind::Step;
  h.match = id;
  h.rule = m.rule;
  h.node = m.after;
  h.place = m.pass == 0 ? Place{} : s_.index().place_of_match(id);
  h.title = rule_name(m.rule);
  const auto before = node_at(m.before);
  if (!before) return tl::unexpected(before.error());
  h.detail = describe(*before);  // before the next one is looked at
  if (m.after != 0) {
    const auto after = node_at(m.after);
    if (!after) return tl::unexpected(after.error());
    h.detail += "  →  " + describe(*after);
  } else {
    h.detail += "  (refused the graph)";
  }
  pending_.push_back(std::move(h));
  return {};
}

Result<void> SearchRun::steps() {
  // ops stand in the nodes, which are read last
  const bool of_nodes = q_.about_nodes();
  const bool with_nodes = of_nodes || q_.before || q_.after || !q_.touches.empty();
  if (with_nodes) {
    if (auto r = reach_node(s_.reader_->node_count()); !r) return tl::unexpected(r.error());
    if (summary_.stopped) return {};
  }
  const double all =
      static_cast<double>(std::max<int64_t>(1, of_nodes ? s_.reader_->node_count() : s_.reader_->match_count()));
  if (of_nodes) {
    // the steps that made such a node: nodes stand in the order in which they were made
    int64_t last = 0;
    for (int64_t n = 1; n <= s_.index().node_count(); ++n) {
      if (n % kLookEvery == 0 && !look(static_cast<double>(n) / all, false)) return {};
      const int64_t id = s_.index().node(n).made_by;
      if (id == 0 || id == last || !node_fits_cheaply(n, false) || !match_fits(id)) continue;
      const auto fits = node_fits(n);
      if (!fits) return tl::unexpected(fits.error());
      if (!*fits) continue;
      last = id;
      if (auto r = step_hit(id); !r) return r;
      if (q_.first) return {};
      if (summary_.cut && needs_graph()) return {};
      if (needs_graph() && !look(static_cast<double>(n) / all, false)) return {};
    }
    return {};
  }
  for (int64_t id = 1;; ++id) {
    const auto there = reach_match(id);
    if (!there) return tl::unexpected(there.error());
    if (!*there) return {};
    if (id % kLookEvery == 0 && !look(static_cast<double>(id) / all, !s_.index().complete())) return {};
    if (!match_fits(id)) continue;
    if (auto r = step_hit(id); !r) return r;
    if (q_.first) return {};
  }
}

Result<void> SearchRun::prepare_nodes() {
  const bool text = !q_.text.empty() && q_.answers(HitKind::Node);
  if (q_.arg.empty() && !text) return {};
  if (auto r = s_.load_args(); !r) return r;
  const auto& args = s_.args_;
  arg_ok_.resize(args.size() + 1);
  for (size_t i = 0; i < args.size(); ++i) arg_ok_[i] = all_hold(q_.arg, {args[i].json, args[i].text});
  if (args.empty()) arg_ok_[0] = all_hold(q_.arg, {""});
  if (!text) return {};
  for (NameTest test : q_.text) {
    NodeWord word;
    word.negated = std::exchange(test.negated, false);
    word.ops.resize(kOpLimit);
    word.args.resize(args.size() + 1);
    for (size_t i = 1; i < kOpLimit; ++i) word.ops[i] = test(kOpNames[i]);
    for (size_t i = 1; i < args.size(); ++i) word.args[i] = test.any_of({args[i].json, args[i].text});
    auto read = each_row(s_.reader_->database(),
                         "SELECT node, coalesce(name, ''), coalesce(location, '') FROM node_metadata ORDER BY node",
                         [&](const Statement& row) -> Result<void> {
                           if (test.any_of({row.text(1), row.text(2)})) word.metadata.push_back(row.integer(0));
                           return {};
                         });
    if (!read) return read;
    node_words_.push_back(std::move(word));
  }
  return {};
}

bool SearchRun::node_fits_cheaply(int64_t number, bool with_text) const {
  const SearchIndex::Node& n = s_.index().node(number);
  if (q_.op && !q_.op->contains(n.op)) return false;
  if (q_.dtype && !q_.dtype->contains(n.dtype)) return false;
  if (!q_.arg.empty() && (n.arg >= arg_ok_.size() || !arg_ok_[n.arg])) return false;
  if (!q_.node.empty() && std::ranges::find(q_.node, number) == q_.node.end()) return false;
  if (!q_.rule.empty()) {
    if (n.made_by == 0) return false;
    const uint32_t rule = s_.index().match(n.made_by).rule;
    if (rule >= rule_ok_.size() || !rule_ok_[rule]) return false;
  }
  if (with_text)
    for (const NodeWord& w : node_words_)
      if ((w.ops[static_cast<size_t>(n.op)] || (n.arg < w.args.size() && w.args[n.arg]) ||
           std::ranges::binary_search(w.metadata, number)) == w.negated)
        return false;
  return (q_.pass.empty() && q_.kernel.empty()) || pass_fits(s_.index().place_of_node(number).pass);
}

Result<bool> SearchRun::node_fits(int64_t number) {
  if (!needs_graph()) return true;
  const auto u = node_at(number);
  if (!u) return tl::unexpected(u.error());
  const auto sizes = sizes_of(*u);
  return sizes && std::ranges::all_of(q_.shape, [&](const ShapeTest& t) { return t(*sizes); });
}

Result<void> SearchRun::node_hit(int64_t number) {
  if (!room(HitKind::Node)) return {};
  const auto u = node_at(number);
  if (!u) return tl::unexpected(u.error());
  const SearchIndex::Origin from = s_.index().origin(number);
  SearchHit h;
  h.kind = HitKind::Node;
  h.node = number;
  h.place = from.place;
  h.title = describe(*u);
  h.detail = fmt::format("node {}", number);
  if (from.how == SearchIndex::Shown::ByMatch) {
    h.match = from.match;
    h.rule = s_.index().match(from.match).rule;
    h.detail += ", made by " + rule_name(h.rule);
  } else if (from.how == SearchIndex::Shown::BeforeMatch || from.how == SearchIndex::Shown::AtEnd) {
    h.detail += ", rebuilt";
  }
  pending_.push_back(std::move(h));
  return {};
}

Result<void> SearchRun::nodes() {
  const double all = static_cast<double>(std::max<int64_t>(1, s_.reader_->node_count()));
  for (int64_t n = 1;; ++n) {
    const auto there = reach_node(n);
    if (!there) return tl::unexpected(there.error());
    if (!*there) return {};
    if (n % kLookEvery == 0 && !look(static_cast<double>(n) / all, !s_.index().complete())) return {};
    if (!node_fits_cheaply(n, true)) continue;
    const auto fits = node_fits(n);
    if (!fits) return tl::unexpected(fits.error());
    if (needs_graph() && !look(static_cast<double>(n) / all, !s_.index().complete())) return {};
    if (!*fits) continue;
    if (auto r = node_hit(n); !r) return r;
    // counting on would mean building every node that is left
    if (needs_graph() && summary_.found[static_cast<size_t>(HitKind::Node)] > static_cast<int64_t>(per_kind_))
      return {};
  }
}

Result<SearchSummary> SearchRun::run() {
  for (const std::vector<int64_t>* numbers : {&q_.node, &q_.touches})
    for (const int64_t n : *numbers)
      if (n > s_.reader_->node_count())
        return tl::unexpected(
            Error{fmt::format("there is no node {}: this trace has {}.", n, s_.reader_->node_count())});
  if (auto r = prepare_tables(); !r) return tl::unexpected(r.error());
  if (q_.answers(HitKind::Pass)) passes();
  if (q_.answers(HitKind::Rule)) rules();
  if (q_.answers(HitKind::Kernel))
    if (auto r = kernels(); !r) return tl::unexpected(r.error());
  if (!look(0, !s_.index().complete())) return summary_;
  const bool nodes_too = q_.answers(HitKind::Node);
  if (nodes_too || q_.about_nodes())
    if (auto r = prepare_nodes(); !r) return tl::unexpected(r.error());
  if (q_.answers(HitKind::Step))
    if (auto r = steps(); !r) return tl::unexpected(r.error());
  if (nodes_too && !summary_.stopped)
    if (auto r = nodes(); !r) return tl::unexpected(r.error());
  if (!summary_.stopped) emit(1, false);
  return summary_;
}

Result<SearchSummary> Searcher::run(const SearchQuery& query, size_t per_kind,
                                    const std::function<void(SearchUpdate&&)>& update, const std::stop_token& stop) {
  return SearchRun(*this, query, per_kind, update, stop).run();
}

}  // namespace rangescope::trace
