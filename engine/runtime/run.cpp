// Executor::run: the passes of a run and what is measured of them.
#include <fmt/format.h>

#include <optional>

#include "engine/runtime/executor.h"
#include "engine/runtime/progress.h"
#include "engine/runtime/snapshots.h"

namespace rangescope::runtime {
namespace {

// The state of one Executor::run.
class Run {
 public:
  Run(Device& device, Commander& commander, const RunOptions& options)
      : device_(device), commander_(commander), options_(options), clock_(timestamp_clock(device.info())) {}

  Result<void> prepare(std::span<const Kernel> kernels, std::span<const Buffer> buffers,
                       std::span<const Dispatch> dispatches);
  Result<RunReport> execute();

 private:
  enum class Pass { first, again };

  bool repeats() const { return options_.warmup != 0 || options_.repeat != 0; }
  bool times() const { return queries_.has_value(); }
  Result<CommandBuffer> record_pass(Pass pass);
  // The error of a lost device names the dispatch that was under way.
  Result<PassTimes> submit_first(CommandBuffer commands);
  struct Span {
    uint64_t start_ns = 0;  // from the run's first timestamp
    uint64_t ns = 0;
  };
  // Each dispatch of the last pass, on the device.
  Result<std::vector<Span>> read_times();
  Result<void> repeat(CommandBuffer commands);

  Device& device_;
  Commander& commander_;
  const RunOptions& options_;
  TimestampClock clock_;
  std::optional<LaunchPlan> plan_;
  std::optional<Snapshots> snapshots_;
  std::optional<TimestampQueries> queries_;
  std::optional<Progress> progress_;
  RunReport report_;
  // Of the pass read last: a counter may wrap between two passes, and starts go on across it.
  std::optional<uint64_t> pass_tick_;
  uint64_t pass_start_ns_ = 0;
};

Result<void> Run::prepare(std::span<const Kernel> kernels, std::span<const Buffer> buffers,
                          std::span<const Dispatch> dispatches) {
  auto plan = LaunchPlan::create(device_, kernels, buffers, dispatches);
  if (!plan) return tl::unexpected(std::move(plan.error()));
  plan_ = std::move(*plan);
  report_.dispatches.resize(dispatches.size());

  if (!options_.timestamps) {
    report_.note = "the dispatches were not timed, as asked for";
  } else if (!clock_.can_time()) {
    report_.note = fmt::format(
        "the Vulkan device \"{}\" has no timestamps on its compute queue, so there are no times of single dispatches, "
        "only "
        "of whole passes as the host sees them",
        device_.info().name);
  } else if (!dispatches.empty()) {
    auto queries = TimestampQueries::create(device_, static_cast<uint32_t>(2 * dispatches.size()));
    if (!queries) return tl::unexpected(std::move(queries.error()));
    queries_ = std::move(*queries);
    report_.timed = true;
  }

  auto progress = Progress::create(device_);
  if (!progress) return tl::unexpected(std::move(progress.error()));
  progress_ = std::move(*progress);

  auto snapshots =
      Snapshots::create(device_, buffers, repeats() ? plan_->buffers_updated_in_place() : std::vector<uint32_t>{});
  if (!snapshots) return tl::unexpected(std::move(snapshots.error()));
  snapshots_ = std::move(*snapshots);
  return {};
}

Result<CommandBuffer> Run::record_pass(Pass pass) {
  auto commands = commander_.allocate();
  if (!commands) return commands;
  if (auto begun = commander_.begin(*commands); !begun) return tl::unexpected(std::move(begun.error()));
  if (times()) queries_->reset(*commands);
  // What earlier submits wrote, uploads and snapshots among it, is visible from here on.
  record_barrier(*commands);
  if (pass == Pass::again && !snapshots_->empty()) {
    snapshots_->record_restore(*commands);
    record_barrier(*commands);
  }
  LaunchPlan::Recording recording;
  recording.queries = times() ? &*queries_ : nullptr;
  recording.isolate = options_.isolate;
  if (pass == Pass::first) {
    // Kernels hang when they first run; the marks stay out of what is timed.
    recording.progress = &*progress_;
    recording.isolate = true;
  }
  plan_->record(*commands, recording);
  record_host_barrier(*commands);
  if (auto ended = commander_.end(*commands); !ended) return tl::unexpected(std::move(ended.error()));
  return commands;
}

Result<PassTimes> Run::submit_first(CommandBuffer commands) {
  auto taken = commander_.submit(commands, options_.timeout);
  if (taken || !device_.lost() || plan_->size() == 0) return taken;
  return tl::unexpected(Error{fmt::format("at {}: {}", plan_->describe(progress_->read()), taken.error().message)});
}

Result<std::vector<Run::Span>> Run::read_times() {
  const auto ticks = queries_->read();
  if (!ticks) return tl::unexpected(ticks.error());
  const uint64_t begin = ticks->front();
  if (pass_tick_) pass_start_ns_ += clock_.elapsed_ns(*pass_tick_, begin);
  pass_tick_ = begin;
  std::vector<Span> out(plan_->size());
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = {pass_start_ns_ + clock_.elapsed_ns(begin, (*ticks)[2 * i]),
              clock_.elapsed_ns((*ticks)[2 * i], (*ticks)[2 * i + 1])};
  return out;
}

Result<void> Run::repeat(CommandBuffer commands) {
  const auto begin = std::chrono::steady_clock::now();
  for (uint32_t pass = 0; pass < options_.warmup + options_.repeat; ++pass) {
    const bool warmup = pass < options_.warmup;
    const auto spent = std::chrono::steady_clock::now() - begin;
    if (options_.repeat_budget.count() != 0 && spent > options_.repeat_budget && !report_.repeats.empty()) break;
    auto taken = commander_.submit(commands, options_.timeout);
    if (!taken) return tl::unexpected(std::move(taken.error()));
    (warmup ? report_.warmups : report_.repeats).push_back(*taken);
    if (warmup || !times()) continue;
    const auto measured = read_times();
    if (!measured) return tl::unexpected(measured.error());
    for (size_t i = 0; i < measured->size(); ++i) {
      report_.dispatches[i].samples_ns.push_back((*measured)[i].ns);
      report_.dispatches[i].starts_ns.push_back((*measured)[i].start_ns);
    }
  }
  return {};
}

Result<RunReport> Run::execute() {
  if (!snapshots_->empty()) {
    const auto saved = commander_.run(options_.timeout, [&](CommandBuffer commands) {
      record_barrier(commands);
      snapshots_->record_save(commands);
    });
    if (!saved) return tl::unexpected(saved.error());
  }
  auto commands = record_pass(Pass::first);
  if (!commands) return tl::unexpected(std::move(commands.error()));
  auto first = submit_first(*commands);
  if (!first) return tl::unexpected(std::move(first.error()));
  report_.first = *first;
  if (times()) {
    const auto measured = read_times();
    if (!measured) return tl::unexpected(measured.error());
    for (size_t i = 0; i < measured->size(); ++i) {
      report_.dispatches[i].first_ns = (*measured)[i].ns;
      report_.dispatches[i].first_start_ns = (*measured)[i].start_ns;
    }
  }
  if (repeats()) {
    auto again = record_pass(Pass::again);
    if (!again) return tl::unexpected(std::move(again.error()));
    if (auto repeated = repeat(*again); !repeated) return tl::unexpected(std::move(repeated.error()));
  }
  for (DispatchReport& dispatch : report_.dispatches) dispatch.times = summarize(dispatch.samples_ns);
  return std::move(report_);
}

}  // namespace

Result<RunReport> Executor::run(std::span<const Dispatch> dispatches, const RunOptions& options) {
  if (auto usable = device_->check_usable(); !usable) return tl::unexpected(std::move(usable.error()));
  // Its own commander: the command buffers of a run go with it.
  auto commander = Commander::create(*device_);
  if (!commander) return tl::unexpected(std::move(commander.error()));
  Run run(*device_, *commander, options);
  if (auto prepared = run.prepare(kernels_, buffers_, dispatches); !prepared)
    return tl::unexpected(std::move(prepared.error()));
  return run.execute();
}

}  // namespace rangescope::runtime
