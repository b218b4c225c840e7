#include "app/kernel_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/codegen/pipeline.h"
#include "engine/trace/times.h"

namespace rangescope::app {

namespace {

constexpr const char* kRow = "{:>4}  {:>4}  {:>10}  {:>10}  {:>10}  {:>10}  {:>10}  {:>6}  {:>8}  {:>8}  {}\n";

void print_header(std::string_view first) {
  fmt::print(fmt::runtime(kRow), first, "n", "first us", "min us", "median us", "p95 us", "spread us", "share",
             "GFLOP/s", "GB/s", "kernel");
}

// Billions a second, or a dash where it is not known.
std::string rate_text(const std::optional<int64_t>& amount, int64_t ns) {
  const auto r = trace::rate(amount, ns);
  return r ? fmt::format("{:.2f}", *r) : std::string("-");
}

// `total`: the medians of all rows together.
void print_row(const trace::ItemTimes& t, int64_t total, std::string_view name) {
  const auto us = [](int64_t ns) { return fmt::format("{:.2f}", static_cast<double>(ns) / 1e3); };
  const int64_t median = t.times.median;
  fmt::print(fmt::runtime(kRow), t.item, t.times.n, us(t.first_warm_up), us(t.times.min), us(median), us(t.times.p95),
             us(t.times.spread),
             fmt::format("{:.1f}%", total > 0 ? 100.0 * static_cast<double>(median) / static_cast<double>(total) : 0.0),
             rate_text(t.ops, median), rate_text(t.bytes, median), name);
}

trace::ItemTimes row_of(const Execution& e, size_t dispatch) {
  const runtime::DispatchReport& d = e.report.dispatches[dispatch];
  trace::ItemTimes row;
  row.item = static_cast<int64_t>(dispatch) + 1;
  row.times.n = d.times.count;
  row.times.min = static_cast<int64_t>(d.times.min_ns);
  row.times.median = static_cast<int64_t>(d.times.median_ns);
  row.times.p95 = static_cast<int64_t>(d.times.p95_ns);
  row.times.spread = static_cast<int64_t>(d.times.spread_ns);
  row.first_warm_up = static_cast<int64_t>(d.first_ns);
  row.ops = e.program.work[dispatch].ops;
  row.bytes = e.program.work[dispatch].bytes;
  return row;
}

}  // namespace

void print_times(const Execution& e) {
  std::vector<trace::ItemTimes> rows;
  int64_t total = 0;
  for (size_t i = 0; i < e.report.dispatches.size(); ++i) {
    rows.push_back(row_of(e, i));
    total += rows.back().times.median;
  }
  print_header("#");
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto* k = std::get_if<runtime::KernelDispatch>(&e.program.dispatches[i]);
    print_row(rows[i], total, k != nullptr ? codegen::plain_name(e.program.kernels[k->kernel].program.name) : "copy");
  }
  fmt::print(
      "      {:.2f} us in all by the medians; {} repeats after the first run, which gives the values, and {} "
      "warm-ups\n",
      static_cast<double>(total) / 1e3, e.report.repeats.size(), e.report.warmups.size());
  if (!e.report.timed && !e.report.note.empty()) fmt::print("{}\n", e.report.note);
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
  fmt::print("\n");
  print_header("item");
  for (const trace::ScheduleItem& item : *schedule) {
    const auto k = std::ranges::find(*kernels, item.kernel, &trace::Kernel::id);
    const std::string name = k != kernels->end() && item.kind == "kernel" ? k->name : item.kind;
    const auto t = std::ranges::find(times, item.id, &trace::ItemTimes::item);
    if (t == times.end()) {
      fmt::print(fmt::runtime(kRow), item.id, "-", "-", "-", "-", "-", "-", "-", "-", "-", name);
      continue;
    }
    print_row(*t, total, name);
  }
  if (total > 0) fmt::print("{:>4}  {:>11.2f}  in all\n", "", static_cast<double>(total) / 1e3);
  return {};
}

}  // namespace rangescope::app
