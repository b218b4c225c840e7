#include "app/session/execution.h"

#include <fmt/format.h>

#include <cstdio>

#include "engine/codegen/heuristic.h"
#include "engine/runtime/kernel_search.h"
#include "engine/runtime/numbers.h"
#include "engine/runtime/program_kernel.h"
#include "engine/runtime/schedule_search.h"

namespace rangescope::app {

namespace {

// Timed repeats of one program end early once they have taken this long together.
constexpr auto kRepeatBudget = std::chrono::seconds(20);

void say(const std::string& line) {
  fmt::print(stderr, "{}\n", line);
}

void search_with(runtime::ProgramOptions& options, std::optional<runtime::KernelSearch>& search,
                 runtime::Device& device, const RunSettings& settings) {
  runtime::SearchOptions how;
  how.width = static_cast<uint32_t>(settings.search);
  how.budget = std::chrono::seconds(settings.search_seconds);
  how.starts = {codegen::hand_coded_optimizations, codegen::processor_optimizations};
  search.emplace(device, options, how);
  options.choose_opts = search->chooser(say);
}

}  // namespace

Result<std::unique_ptr<runtime::Device>> open_device(const RunSettings& settings) {
  return runtime::Device::open({.selector = settings.device});
}

std::string device_line(const runtime::Device& device) {
  return fmt::format("{} ({}, {})", device.info().name, runtime::device_type_name(device.info().type),
                     device.info().driver);
}

Result<Execution> execute(runtime::Device& device, const schedule::Schedule& schedule, uint32_t warm_ups,
                          uint32_t repeats, const std::function<void(UOp ast)>& before_kernel, const StartValues& start,
                          const RunSettings& settings, const Program* source) {
  runtime::ProgramOptions options = runtime::options_for(device.info());
  options.before_kernel = before_kernel;
  options.variables = start.variables;
  options.settings.sums_outlast_stages = settings.mend;
  if (settings.device_profile || settings.search > 0) runtime::use_profile(options, device.info());
  std::optional<runtime::KernelSearch> search;
  if (settings.search > 0) search_with(options, search, device, settings);
  std::optional<runtime::OwnSchedule> faster;
  if (search && source != nullptr) {
    auto found = runtime::faster_schedule(*search, *source, schedule, say);
    if (!found) return tl::unexpected(std::move(found.error()));
    faster = std::move(*found);
  }
  auto program = runtime::build_program(faster ? faster->schedule : schedule, options);
  if (!program) return tl::unexpected(program.error());
  auto e = execute_program(device, std::move(*program), warm_ups, repeats, start);
  if (e && faster) e->store = std::move(faster->store);
  return e;
}

std::vector<std::byte> other_numbers(int64_t seed, int64_t slot, DType dtype, size_t count) {
  constexpr int64_t kApart = 7919;  // more than a program has slots
  return runtime::corpus_fill(slot + seed * kApart, dtype, count);
}

std::vector<std::byte> start_numbers(const StartValues& start, const runtime::ProgramBuffer& b) {
  const bool apart = start.sharded.contains(b.slot());
  const uint64_t bytes = apart ? b.offset() + b.bytes : b.bytes;
  auto numbers = other_numbers(start.seed, b.slot(), b.dtype, bytes / static_cast<uint64_t>(itemsize(b.dtype)));
  numbers.erase(numbers.begin(), numbers.end() - static_cast<std::ptrdiff_t>(b.bytes));
  return numbers;
}

Result<Execution> execute_program(runtime::Device& device, runtime::Program program, uint32_t warm_ups,
                                  uint32_t repeats, const StartValues& start, const runtime::ExecutorOptions& options) {
  Execution e;
  e.program = std::move(program);
  auto executor = runtime::load_program(device, e.program, options);
  if (!executor) return tl::unexpected(executor.error());
  e.before.resize(e.program.buffers.size());
  e.after.resize(e.program.buffers.size());
  for (size_t i = 0; i < e.program.buffers.size(); ++i) {
    const runtime::ProgramBuffer& b = e.program.buffers[i];
    if (!b.is_parameter()) continue;
    if (const auto given = start.contents.find(b.slot()); given != start.contents.end()) {
      if (given->second.size() != b.bytes_of_all())
        return refuse(
            fmt::format("parameter {} has {} bytes, {} are given", b.slot(), b.bytes_of_all(), given->second.size()));
      const auto part = given->second.subspan(b.offset(), b.bytes);
      e.before[i].assign(part.begin(), part.end());
    } else {
      e.before[i] = start_numbers(start, b);
    }
    if (auto r = executor->upload(static_cast<uint32_t>(i), e.before[i]); !r) return tl::unexpected(r.error());
  }
  runtime::RunOptions run;
  run.warmup = repeats > 0 ? warm_ups : 0;
  run.repeat = repeats;
  run.repeat_budget = kRepeatBudget;
  auto report = executor->run(e.program.dispatches, run);
  if (!report) return tl::unexpected(report.error());
  e.report = std::move(*report);
  e.kernels = executor->kernels();
  for (size_t i = 0; i < e.program.buffers.size(); ++i) {
    if (e.before[i].empty()) continue;
    e.after[i].resize(e.before[i].size());
    if (auto r = executor->download(static_cast<uint32_t>(i), e.after[i]); !r) return tl::unexpected(r.error());
  }
  return e;
}

}  // namespace rangescope::app
