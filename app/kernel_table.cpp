#include "app/kernel_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace rangescope::app {

namespace {

std::string rate(double amount, int64_t ns) {
  return ns <= 0 || amount <= 0 ? std::string("-") : fmt::format("{:.2f}", amount / static_cast<double>(ns));
}

}  // namespace

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
    auto t = reader.times(runs->back().id);
    if (!t) return tl::unexpected(t.error());
    times = std::move(*t);
    fmt::print("\n{}: {} repeats after {} warm-ups\n", runs->back().device, runs->back().repeats,
               runs->back().warm_ups);
  }
  int64_t total = 0;
  for (const trace::ItemTimes& t : times) total += t.median;
  fmt::print("\n{:>4}  {:>11}  {:>11}  {:>6}  {:>8}  {:>8}  kernel\n", "item", "median us", "p95 us", "share",
             "GFLOP/s", "GB/s");
  for (const trace::ScheduleItem& item : *schedule) {
    const auto k = std::ranges::find(*kernels, item.kernel, &trace::Kernel::id);
    const std::string name = k != kernels->end() ? k->name : item.kind;
    const auto t = std::ranges::find(times, item.id, &trace::ItemTimes::item);
    if (t == times.end()) {
      fmt::print("{:>4}  {:>11}  {:>11}  {:>6}  {:>8}  {:>8}  {}\n", item.id, "-", "-", "-", "-", "-", name);
      continue;
    }
    fmt::print("{:>4}  {:>11.2f}  {:>11.2f}  {:>5.1f}%  {:>8}  {:>8}  {}\n", item.id,
               static_cast<double>(t->median) / 1e3, static_cast<double>(t->p95) / 1e3,
               total > 0 ? 100.0 * static_cast<double>(t->median) / static_cast<double>(total) : 0.0,
               k != kernels->end() ? rate(static_cast<double>(k->ops), t->median) : "-",
               k != kernels->end() ? rate(static_cast<double>(k->bytes), t->median) : "-", name);
  }
  if (total > 0) fmt::print("{:>4}  {:>11.2f}  in all\n", "", static_cast<double>(total) / 1e3);
  return {};
}

}  // namespace rangescope::app
