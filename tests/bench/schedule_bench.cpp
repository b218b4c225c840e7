// Scheduling whole programs: alone, and with every rewrite recorded into a file. `recorded` is the time of the thread
// that schedules, `times_unobserved` how many times that of a run alone, `close_ms` what the file takes after that.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "engine/ir/program.h"
#include "engine/schedule/pipeline.h"
#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"
#include "engine/trace/recorder.h"
#include "tests/bench/programs.h"

namespace rangescope {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Loaded {
  std::unique_ptr<Store> store = symbolic::make_store();
  UOp root;
};

Loaded load(const bench::BenchProgram& program) {
  Loaded loaded;
  const auto read = read_program(program.line, *loaded.store, ReadWhat::Input);
  if (!read) return loaded;
  schedule::apply_settings(*read, *loaded.store);
  loaded.root = read->root;
  return loaded;
}

// Seconds of a run that no one watches.
Result<double> schedule_alone(const bench::BenchProgram& program) {
  const Loaded loaded = load(program);
  const auto start = Clock::now();
  const auto graph = schedule::get_kernel_graph(loaded.root);
  const double time = seconds_since(start);
  if (!graph) return tl::unexpected(graph.error());
  return time;
}

void unobserved(benchmark::State& state, const bench::BenchProgram& program) {
  for (auto _ : state) {
    const auto time = schedule_alone(program);
    if (!time) return state.SkipWithError(time.error().message.c_str());
    state.SetIterationTime(*time);
  }
}

// One recording of a program.
struct Recording {
  double schedule_s = 0, close_s = 0;
  int64_t matches = 0;
};

Result<Recording> record(const bench::BenchProgram& program, const std::filesystem::path& path) {
  const Loaded loaded = load(program);
  auto recorder = trace::Recorder::create(path, *loaded.store);
  if (!recorder) return tl::unexpected(recorder.error());
  Recording r;
  const ObserverScope scope(*loaded.store, **recorder);
  const auto start = Clock::now();
  (*recorder)->begin_section("schedule", program.name, loaded.root);
  const auto graph = schedule::get_kernel_graph(loaded.root);
  r.schedule_s = seconds_since(start);
  if (!graph) return tl::unexpected(graph.error());
  const auto end = Clock::now();
  if (const auto finished = (*recorder)->finish(); !finished) return tl::unexpected(finished.error());
  r.close_s = seconds_since(end);
  r.matches = (*recorder)->match_count();
  return r;
}

void recorded(benchmark::State& state, const bench::BenchProgram& program) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("rangescope_bench." + std::to_string(getpid()) + ".rscope");
  double close_ms = 0, alone = 0, observed = 0;
  Recording last;
  for (auto _ : state) {
    // What is compared starts in equal conditions: after a file was closed, which leaves little in the caches.
    auto before = record(program, path);
    const auto time = schedule_alone(program);
    if (before && time) before = record(program, path);
    const auto r = record(program, path);
    if (!before || !time || !r) return state.SkipWithError("not recorded");
    last = *r;
    state.SetIterationTime(last.schedule_s);
    alone += *time;
    observed += last.schedule_s;
    close_ms += last.close_s * 1e3;
  }
  state.counters["matches"] = static_cast<double>(last.matches);
  state.counters["times_unobserved"] = observed / alone;
  state.counters["close_ms"] = benchmark::Counter(close_ms, benchmark::Counter::kAvgIterations);
  state.counters["bytes_a_match"] =
      static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(last.matches);
  std::filesystem::remove(path);
}

// One benchmark a program, so they are registered at run time.
const bool registered = [] {
  for (const bench::BenchProgram& program : bench::models()) {
    benchmark::RegisterBenchmark(("unobserved/" + program.name).c_str(), unobserved, program)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("recorded/" + program.name).c_str(), recorded, program)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace rangescope
