// The part of a search that is about nodes.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/trace/describe.h"
#include "engine/trace/each_row.h"
#include "engine/trace/search_run.h"

namespace rangescope::trace {

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
    h.detail += ", made by " + s_.reader_->rule_name(h.rule);
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

}  // namespace rangescope::trace
