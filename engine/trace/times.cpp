#include "engine/trace/times.h"

#include <algorithm>
#include <map>

namespace rangescope::trace {

TimeStatistics statistics(std::vector<int64_t> ns) {
  if (ns.empty()) return {};
  std::ranges::sort(ns);
  const size_t n = ns.size();
  // nearest rank: the smallest with at least `percent` of all at or below it
  const auto quantile = [&](size_t percent) { return ns[std::max<size_t>((n * percent + 99) / 100, 1) - 1]; };
  return {static_cast<int64_t>(n), ns.front(), quantile(50), quantile(95), ns.back(), quantile(75) - quantile(25)};
}

std::optional<double> rate(const std::optional<int64_t>& amount, int64_t ns) {
  if (!amount || ns <= 0) return std::nullopt;
  return static_cast<double>(*amount) / static_cast<double>(ns);
}

namespace {

int64_t added(int64_t a, int64_t b) {
  int64_t r = 0;
  return __builtin_add_overflow(a, b, &r) ? INT64_MAX : r;  // a damaged file
}

void add(std::optional<int64_t>& sum, const std::optional<int64_t>& v) {
  sum = sum && v ? std::optional(added(*sum, *v)) : std::nullopt;
}

}  // namespace

Result<std::vector<ItemTimes>> item_times(Reader& reader, int64_t run) {
  const auto launches = reader.launches();
  if (!launches) return tl::unexpected(launches.error());
  struct Sums {
    std::map<int64_t, int64_t> repeats, warm_ups;  // repeat -> ns of all parts
  };
  std::map<int64_t, Sums> items;
  const auto read = reader.each_sample(run, [&](const Sample& s) {
    Sums& item = items[s.item];
    int64_t& ns = (s.warm_up ? item.warm_ups : item.repeats)[s.repeat];
    ns = added(ns, s.ns);
  });
  if (!read) return tl::unexpected(read.error());
  struct Work {
    std::optional<int64_t> ops = 0, bytes = 0;
  };
  std::map<int64_t, Work> work;
  for (const Launch& l : *launches) {
    Work& w = work[l.item];
    add(w.ops, l.ops);
    add(w.bytes, l.bytes);
  }
  std::vector<ItemTimes> out;
  for (const auto& [item, sums] : items) {
    if (sums.repeats.empty()) continue;
    std::vector<int64_t> ns;
    for (const auto& [repeat, t] : sums.repeats) ns.push_back(t);
    ItemTimes t{item, statistics(std::move(ns)), sums.warm_ups.empty() ? 0 : sums.warm_ups.begin()->second, {}, {}};
    if (const auto w = work.find(item); w != work.end()) t.ops = w->second.ops, t.bytes = w->second.bytes;
    out.push_back(t);
  }
  return out;
}

Result<std::vector<ItemTimes>> last_item_times(Reader& reader) {
  const auto runs = reader.runs();
  if (!runs) return tl::unexpected(runs.error());
  if (runs->empty()) return std::vector<ItemTimes>{};
  return item_times(reader, runs->back().id);
}

}  // namespace rangescope::trace
