#include "engine/trace/compare_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace rangescope::trace {

namespace {

constexpr int64_t kFewestRepeats = 4;

struct Timed {
  std::string name;
  int64_t item = 0;
  TimeStatistics times;
};

Result<std::vector<Timed>> timed_items(Reader& reader) {
  const auto runs = reader.runs();
  if (!runs) return tl::unexpected(runs.error());
  if (runs->empty())
    return refuse(fmt::format("{} has no times: record it with --run, so that its kernels are timed", reader.path()));
  const auto times = item_times(reader, runs->back().id);
  if (!times) return tl::unexpected(times.error());
  const auto kernels = reader.kernels();
  if (!kernels) return tl::unexpected(kernels.error());
  const auto items = reader.schedule();
  if (!items) return tl::unexpected(items.error());
  std::map<int64_t, std::string> names;
  for (const Kernel& k : *kernels) names[k.id] = k.name;
  std::map<int64_t, TimeStatistics> by_item;
  for (const ItemTimes& t : *times) by_item[t.item] = t.times;
  std::vector<Timed> out;
  for (const ScheduleItem& i : *items) {
    const auto name = names.find(i.kernel);
    const auto t = by_item.find(i.id);
    out.push_back(
        {name == names.end() ? i.kind : name->second, i.id, t == by_item.end() ? TimeStatistics{} : t->second});
  }
  return out;
}

TimeStatistics total(const std::vector<Timed>& items) {
  TimeStatistics all;
  double square = 0;
  for (const Timed& t : items) {
    if (t.times.n == 0) continue;
    all.n = all.n == 0 ? t.times.n : std::min(all.n, t.times.n);
    all.min += t.times.min;
    all.median += t.times.median;
    all.p95 += t.times.p95;
    all.max += t.times.max;
    square += static_cast<double>(t.times.spread) * static_cast<double>(t.times.spread);
  }
  all.spread = std::llround(std::sqrt(square));
  return all;
}

}  // namespace

TimeChange change_of(const TimeStatistics& a, const TimeStatistics& b) {
  if (a.n < kFewestRepeats || b.n < kFewestRepeats) return TimeChange::Noise;
  const int64_t apart = std::abs(b.median - a.median);
  if (apart <= 1 || 2 * apart <= a.spread + b.spread) return TimeChange::Noise;
  return b.median < a.median ? TimeChange::Faster : TimeChange::Slower;
}

std::string describe_change(const TimeStatistics& a, const TimeStatistics& b) {
  const TimeChange change = change_of(a, b);
  if (change == TimeChange::Noise)
    return a.n < kFewestRepeats || b.n < kFewestRepeats ? "too few repeats to tell" : "within the noise";
  const auto [more, less] = std::minmax(a.median, b.median, std::greater<>());
  if (less <= 0) return change == TimeChange::Faster ? "faster" : "slower";
  return fmt::format("{:.2f} times as {}", static_cast<double>(more) / static_cast<double>(less),
                     change == TimeChange::Faster ? "fast" : "slow");
}

Result<TimesComparison> compare_times(Reader& a, Reader& b) {
  const auto in_a = timed_items(a), in_b = timed_items(b);
  if (!in_a || !in_b) return tl::unexpected((in_a ? in_b : in_a).error());
  TimesComparison out;
  std::map<std::string, std::vector<const Timed*>> waiting;
  for (const Timed& t : *in_b) waiting[t.name].push_back(&t);
  std::map<std::string, size_t> met;
  for (const Timed& t : *in_a) {
    KernelChange k{t.name, t.item, 0, t.times, {}, TimeChange::Noise};
    const auto& others = waiting[t.name];
    if (const size_t nth = met[t.name]++; nth < others.size()) {
      k.item_b = others[nth]->item;
      k.b = others[nth]->times;
      k.change = change_of(k.a, k.b);
    }
    out.kernels.push_back(std::move(k));
  }
  for (const Timed& t : *in_b) {
    const auto& all = waiting[t.name];
    const auto nth = static_cast<size_t>(std::ranges::find(all, &t) - all.begin());
    if (nth >= met[t.name]) out.kernels.push_back({t.name, 0, t.item, {}, t.times, TimeChange::Noise});
  }
  out.all_a = total(*in_a);
  out.all_b = total(*in_b);
  return out;
}

}  // namespace rangescope::trace
