#include "app/kernel_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/trace/times.h"

namespace rangescope::app {

std::string rate_text(const std::optional<int64_t>& amount, int64_t ns) {
  const auto r = trace::rate(amount, ns);
  return r ? fmt::format("{:.2f}", *r) : std::string("-");
}

Result<void> print_kernel_table(trace::Reader& reader) {
  const auto kernels = reader.kernels();
  if (!kernels) return tl::unexpected(kernels.error());
  const auto schedule = reader.schedule();
  if (!schedule) return tl::unexpected(schedule.error());
  const auto runs = reader.runs();
  if (!runs) return tl::unexpected(runs.error());
  if (schedule->empty()) return {};
  std::vector<trace::ItemTimes> times;
  if (!runs->empty()) {
    auto t = trace::item_times(reader, runs->back().id);
    if (!t) return tl::unexpected(t.error());
    times = std::move(*t);
    // the run that gives the values is stored as the first of the warm-ups
    fmt::print("\n{}: {} repeats after the first run, which gives the values, and {} warm-ups\n", runs->back().device,
               runs->back().repeats, std::max<int64_t>(runs->back().warm_ups - 1, 0));
  }
  int64_t total = 0;
  for (const trace::ItemTimes& t : times) total += t.times.median;
  constexpr const char* kRow = "{:>4}  {:>4}  {:>10}  {:>10}  {:>10}  {:>10}  {:>10}  {:>6}  {:>8}  {:>8}  {}\n";
  fmt::print("\n");
  fmt::print(fmt::runtime(kRow), "item", "n", "first us", "min us", "median us", "p95 us", "spread us", "share",
             "GFLOP/s", "GB/s", "kernel");
  const auto us = [](int64_t ns) { return fmt::format("{:.2f}", static_cast<double>(ns) / 1e3); };
  for (const trace::ScheduleItem& item : *schedule) {
    const auto k = std::ranges::find(*kernels, item.kernel, &trace::Kernel::id);
    const std::string name = k != kernels->end() && item.kind == "kernel" ? k->name : item.kind;
    const auto t = std::ranges::find(times, item.id, &trace::ItemTimes::item);
    if (t == times.end()) {
      fmt::print(fmt::runtime(kRow), item.id, "-", "-", "-", "-", "-", "-", "-", "-", "-", name);
      continue;
    }
    const int64_t median = t->times.median;
    fmt::print(
        fmt::runtime(kRow), item.id, t->times.n, us(t->first_warm_up), us(t->times.min), us(median), us(t->times.p95),
        us(t->times.spread),
        fmt::format("{:.1f}%", total > 0 ? 100.0 * static_cast<double>(median) / static_cast<double>(total) : 0.0),
        rate_text(t->ops, median), rate_text(t->bytes, median), name);
  }
  if (total > 0) fmt::print("{:>4}  {:>11.2f}  in all\n", "", static_cast<double>(total) / 1e3);
  return {};
}

}  // namespace rangescope::app
