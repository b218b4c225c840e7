#include "engine/trace/search_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/trace/packed_node.h"

namespace rangescope::trace {

namespace {
using Clock = std::chrono::steady_clock;
constexpr int64_t kMostNumber = std::numeric_limits<uint32_t>::max();
constexpr size_t kRowsBetweenLooks = 2048;  // rows between two looks at the clock
}  // namespace

Error SearchIndex::damaged(std::string_view what) const {
  return Error{fmt::format("{} is damaged: {}. Record it again.", reader_.path(), what)};
}

double SearchIndex::progress() const {
  const auto all = static_cast<double>(reader_.match_count() + reader_.node_count());
  return complete() || all == 0 ? 1 : static_cast<double>(match_count() + node_count()) / all;
}

Result<bool> SearchIndex::extend(std::chrono::milliseconds time, const std::stop_token& stop) {
  if (reader_.match_count() > kMostNumber || reader_.node_count() > kMostNumber)
    return tl::unexpected(Error{"this trace is too large to be searched: more than four billion nodes or matches."});
  const auto until = Clock::now() + time;
  if (!matches_complete_)
    if (auto r = read_matches(stop, until); !r) return tl::unexpected(r.error());
  if (matches_complete_ && !nodes_complete_)
    if (auto r = read_nodes(stop, until); !r) return tl::unexpected(r.error());
  return complete();
}

Result<void> SearchIndex::read_matches(const std::stop_token& stop, Clock::time_point until) {
  if (matches_.empty()) {
    // the count is the file's word: it is believed only as far as a first guess goes
    matches_.reserve(static_cast<size_t>(std::min<int64_t>(reader_.match_count(), 1 << 20)));
    in_pass_.assign(reader_.passes().size() + 1, 0);
  }
  auto s = reader_.database().prepare(
      "SELECT id, pass, before, coalesce(after, 0), rule, ns FROM matches WHERE id > ? AND id <= ? ORDER BY id");
  if (!s) return tl::unexpected(s.error());
  s->bind(1, match_count());
  s->bind(2, reader_.match_count());
  for (;;) {
    const auto row = s->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    const int64_t id = s->integer(0), pass = s->integer(1), before = s->integer(2), after = s->integer(3);
    const int64_t rule = s->integer(4), ns = s->integer(5);
    if (id != match_count() + 1) return tl::unexpected(damaged(fmt::format("match {} is missing", match_count() + 1)));
    if (pass < 0 || pass >= static_cast<int64_t>(in_pass_.size()) || before < 1 || before > reader_.node_count() ||
        after < 0 || after > reader_.node_count() || rule < 1 || rule > kMostNumber)
      return tl::unexpected(damaged(fmt::format("match {} names what is not there", id)));
    uint32_t& index = in_pass_[static_cast<size_t>(pass)];
    matches_.push_back({static_cast<uint32_t>(pass), index++, static_cast<uint32_t>(before),
                        static_cast<uint32_t>(after), static_cast<uint32_t>(rule),
                        static_cast<uint32_t>(std::clamp<int64_t>(ns, 0, kMostNumber))});
    top_.push_back(std::max({top_.empty() ? 0 : top_.back(), matches_.back().before, matches_.back().after}));
    if (matches_.size() % kRowsBetweenLooks == 0 && (stop.stop_requested() || Clock::now() > until)) return {};
  }
  if (match_count() != reader_.match_count()) return tl::unexpected(damaged("matches are missing at its end"));
  matches_complete_ = true;
  order_passes();
  return {};
}

// When each pass began and ended, as far as the trace tells: passes are numbered as they begin, and what is nested ends
// before what it stands in.
void SearchIndex::order_passes() {
  const std::vector<Pass>& passes = reader_.passes();
  std::vector<int64_t> first(passes.size() + 2, match_count() + 1), last(passes.size() + 1, 0);
  for (int64_t id = match_count(); id >= 1; --id) first[match(id).pass] = id;
  for (int64_t id = 1; id <= match_count(); ++id) last[match(id).pass] = id;
  for (size_t p = passes.size(); p >= 1; --p) first[p] = std::min(first[p], first[p + 1]);
  for (size_t p = passes.size(); p >= 1; --p) {
    int64_t& up = last[static_cast<size_t>(passes[p - 1].parent)];
    up = std::max(up, last[p]);
  }
  begins_.clear();
  ends_.clear();
  int64_t top = 0, ended = 0;
  const auto end = [&](int64_t p) {
    top = std::max(ends_.empty() ? 0 : ends_.back().top, passes[static_cast<size_t>(p - 1)].output);
    ended = std::max({ended, first[static_cast<size_t>(p)] - 1, last[static_cast<size_t>(p)]});
    // a pass without matches ended somewhere before the next match of a later one
    ends_.push_back({p, top, last[static_cast<size_t>(p)] == 0 ? first[static_cast<size_t>(p)] - 1 : ended});
    ended = ends_.back().after_match;
  };
  std::vector<int64_t> open;
  for (const Pass& p : passes) {
    while (!open.empty() && open.back() != p.parent) {
      end(open.back());
      open.pop_back();
    }
    const int64_t before = begins_.empty() ? 0 : begins_.back().top;
    begins_.push_back({p.id, std::max(before, p.input), first[static_cast<size_t>(p.id)] - 1});
    open.push_back(p.id);
  }
  while (!open.empty()) {
    end(open.back());
    open.pop_back();
  }
}

Result<void> SearchIndex::read_nodes(const std::stop_token& stop, Clock::time_point until) {
  auto s = reader_.database().prepare("SELECT first, count, data FROM node_blocks WHERE first > ? ORDER BY first");
  if (!s) return tl::unexpected(s.error());
  s->bind(1, node_count());
  PackedNode n;
  for (;;) {
    const auto row = s->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row || s->integer(0) > reader_.node_count()) break;
    if (s->integer(0) != node_count() + 1)
      return tl::unexpected(damaged(fmt::format("node {} is in no block", node_count() + 1)));
    auto block = PackedBlock::open(reader_.path(), s->integer(0), s->integer(1), s->blob(2));
    if (!block) return tl::unexpected(block.error());
    for (;;) {
      const auto more = block->next(n);
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      if (n.made_by < 0 || n.made_by > match_count() || n.arg > kMostNumber)
        return tl::unexpected(damaged(fmt::format("node {} names what is not there", node_count() + 1)));
      nodes_.push_back({n.op, n.dtype, static_cast<uint32_t>(n.arg), static_cast<uint32_t>(n.made_by)});
    }
    if (stop.stop_requested() || Clock::now() > until) return {};
  }
  nodes_complete_ = true;
  return {};
}

SearchIndex::Origin SearchIndex::origin(int64_t number) const {
  if (const uint32_t m = number <= node_count() ? node(number).made_by : 0)
    return {Shown::ByMatch, place_of_match(m), m};
  // Numbers are given as nodes are first seen, so whatever first names this number or a higher one has shown it.
  const auto reaches = [&](const std::vector<Event>& events) {
    const auto it = std::ranges::lower_bound(events, number, {}, &Event::top);
    return it == events.end() ? nullptr : &*it;
  };
  const Event* begin = reaches(begins_);
  const Event* end = reaches(ends_);
  const auto top = std::ranges::lower_bound(top_, static_cast<uint32_t>(number));
  const int64_t match_id = top == top_.end() ? 0 : (top - top_.begin()) + 1;
  // the earliest of the three; a beginning or end stands behind the match that it follows
  const int64_t none = std::numeric_limits<int64_t>::max();
  const int64_t at_begin = begin == nullptr ? none : begin->after_match;
  const int64_t at_end = end == nullptr ? none : end->after_match;
  const int64_t at_match = match_id == 0 ? none : match_id;
  if (begin != nullptr && at_begin < at_match &&
      (at_begin < at_end || (at_begin == at_end && begin->pass <= end->pass)))
    return {Shown::AsInput, {begin->pass, 0}, 0};
  if (end != nullptr && at_end < at_match)
    return {Shown::AtEnd, {end->pass, reader_.passes()[static_cast<size_t>(end->pass - 1)].matches}, 0};
  if (match_id == 0) return {};
  return {Shown::BeforeMatch, {match(match_id).pass, match(match_id).index}, match_id};
}

Place SearchIndex::place_of_node(int64_t number) const {
  return origin(number).place;
}

}  // namespace rangescope::trace
