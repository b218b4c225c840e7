// Scheduling whole programs: alone, and with every rewrite recorded into a file. `recorded` is the time of the thread
// that schedules, `close_ms` what the file takes after that, and both have the size of the trace beside them.

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

void unobserved(benchmark::State& state, const bench::BenchProgram& program) {
  for (auto _ : state) {
    const Loaded loaded = load(program);
    const auto start = Clock::now();
    const auto graph = schedule::get_kernel_graph(loaded.root);
    state.SetIterationTime(seconds_since(start));
    if (!graph) state.SkipWithError(graph.error().message.c_str());
  }
}

void recorded(benchmark::State& state, const bench::BenchProgram& program) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("rangescope_bench." + std::to_string(getpid()) + ".rscope");
  double close_ms = 0;
  int64_t matches = 0;
  for (auto _ : state) {
    const Loaded loaded = load(program);
    auto recorder = trace::Recorder::create(path, *loaded.store);
    if (!recorder) return state.SkipWithError(recorder.error().message.c_str());
    const ObserverScope scope(*loaded.store, **recorder);
    const auto start = Clock::now();
    (*recorder)->begin_section("schedule", program.name, loaded.root);
    const auto graph = schedule::get_kernel_graph(loaded.root);
    state.SetIterationTime(seconds_since(start));
    const auto end = Clock::now();
    if (const auto finished = (*recorder)->finish(); !graph || !finished) return state.SkipWithError("not recorded");
    close_ms += seconds_since(end) * 1e3;
    matches = (*recorder)->match_count();
  }
  state.counters["matches"] = static_cast<double>(matches);
  state.counters["close_ms"] = benchmark::Counter(close_ms, benchmark::Counter::kAvgIterations);
  state.counters["bytes_a_match"] =
      static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(matches);
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
