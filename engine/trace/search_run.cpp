#include "engine/trace/search_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/trace/describe.h"

namespace rangescope::trace {

namespace {

constexpr auto kUpdateEvery = std::chrono::milliseconds(50);
constexpr int64_t kMostRules = 1 << 24;  // numbers of rules beyond this are damage

}  // namespace

bool all_hold(const std::vector<NameTest>& tests, std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(tests, [&](const NameTest& t) { return t.any_of(names); });
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
  h.title = s_.reader_->rule_name(m.rule);
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

}  // namespace rangescope::trace
