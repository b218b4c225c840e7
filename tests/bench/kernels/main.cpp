// Generated kernels against the same written by hand, on one device in one run: ./dev bench kernels.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>

#include "engine/codegen/heuristic.h"
#include "engine/ir/line_reader.h"
#include "engine/runtime/kernel_search.h"
#include "engine/runtime/measure.h"
#include "engine/runtime/program_kernel.h"
#include "tests/bench/kernels/cases.h"
#include "tests/bench/kernels/compile_times.h"
#include "tests/bench/kernels/machine_limits.h"
#include "tests/bench/kernels/side.h"

namespace rangescope::bench {

namespace {

struct Options {
  std::string device, filter, sources, shaders = RANGESCOPE_SHADER_DIR "/bench";
  uint32_t repeat = 5, rounds = 3, search = 0, seconds = 60;
  bool forget = false;
};

struct Roof {
  MachineLimits machine;
  runtime::DeviceRates device;
};

constexpr const char* k_row = "{:<15} {:<10} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8}  {}\n";

double best_ms(const Side& side) {
  return static_cast<double>(*std::ranges::min_element(side.pass_ns)) / 1e6;
}

// The larger of what the task needs of the machine's multiply-adds and of its bandwidth: the time no program can beat.
double least_ms(const KernelCase& k, const MachineLimits& m) {
  return std::max(k.operations / m.multiply_add_gflop_s, k.bytes / m.copy_gb_per_s) / 1e6;
}

void print_row(const KernelCase& k, const Side& side, const Side& written, const Roof& roof, const std::string& note) {
  const runtime::Statistics t = runtime::summarize(side.pass_ns);
  const double ms = best_ms(side), seconds = ms / 1e3;
  fmt::print(fmt::runtime(k_row), k.name, side.name, fmt::format("{:.3f}", ms),
             fmt::format("{:.3f}", static_cast<double>(t.median_ns) / 1e6),
             fmt::format("{:.3f}", static_cast<double>(t.p95_ns) / 1e6),
             side.cpu_ms > 0 ? fmt::format("{:.3f}", side.cpu_ms) : "-",
             k.operations > 0 ? fmt::format("{:.2f}", k.operations / seconds / 1e9) : "-",
             fmt::format("{:.2f}", k.bytes / seconds / 1e9), fmt::format("{:.2f}", best_ms(written) / ms),
             written.cpu_ms > 0 ? fmt::format("{:.2f}", written.cpu_ms / side.cpu_ms) : "-",
             fmt::format("{:.3f}{}", least_ms(k, roof.machine) / ms, note));
}

// Program lines by name.
Result<std::vector<std::pair<std::string, std::string>>> programs() {
  auto reader = LineReader::open(RANGESCOPE_BENCH_DATA "/kernels.jsonl");
  if (!reader) return tl::unexpected(reader.error());
  std::vector<std::pair<std::string, std::string>> lines;
  for (std::string line;;) {
    const auto more = reader->next(line);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return lines;
    const size_t from = line.find(R"("name":")") + 8;
    lines.emplace_back(line.substr(from, line.find('"', from) - from), line);
  }
}

Result<std::vector<Side>> sides(const KernelCase& k, const std::string& line, runtime::Device& device,
                                const Options& o) {
  const auto parameters = parameter_bytes(line);
  if (!parameters) return tl::unexpected(parameters.error());
  std::vector<Side> made;
  const auto keep = [&](Result<Side> side) -> Result<void> {
    if (!side) return tl::unexpected(std::move(side.error()));
    made.push_back(std::move(*side));
    return {};
  };
  runtime::ProgramOptions program = runtime::options_for(device.info());
  if (auto r = keep(written_side(device, k, *parameters, o.shaders)); !r) return tl::unexpected(r.error());
  if (auto r = keep(generated_side("heuristic", device, line, program, o.sources)); !r)
    return tl::unexpected(r.error());
  if (runtime::profile_for(device.info()) != nullptr) {
    runtime::use_profile(program, device.info());
    if (auto r = keep(generated_side("profile", device, line, program, o.sources)); !r)
      return tl::unexpected(r.error());
  }
  if (o.search != 0) {
    runtime::SearchOptions search;
    search.width = o.search;
    search.budget = std::chrono::seconds(o.seconds);
    search.starts = {codegen::hand_coded_optimizations, codegen::processor_optimizations};
    if (o.forget) search.cache_folder.clear();
    runtime::KernelSearch searcher(device, program, search);
    program.choose_opts = searcher.chooser([&](const std::string& said) { fmt::print("# {}: {}\n", k.name, said); });
    if (auto r = keep(generated_side("search", device, line, program, o.sources, &searcher)); !r)
      return tl::unexpected(r.error());
  }
  return made;
}

Result<void> compare(const KernelCase& k, const std::string& line, runtime::Device& device, const Roof& roof,
                     const Options& o) {
  auto made = sides(k, line, device, o);
  if (!made) return tl::unexpected(made.error());
  // in turns, so that what else the machine does falls on all of them
  for (uint32_t round = 0; round < o.rounds; ++round)
    for (Side& side : *made)
      if (auto ran = run_side(side, o.repeat); !ran) return ran;
  const auto expected = output_of(made->front());
  if (!expected) return tl::unexpected(expected.error());
  std::string wrong;
  for (Side& side : *made) {
    const auto got = output_of(side);
    if (!got) return tl::unexpected(got.error());
    const std::string differs = disagreement(*expected, *got);
    if (!differs.empty()) wrong = fmt::format("{}: the numbers of \"{}\" differ: {}", k.name, side.name, differs);
    print_row(k, side, made->front(), roof, differs.empty() ? "" : "  DIFFERS");
  }
  std::fflush(stdout);
  if (!wrong.empty()) return refuse(wrong);
  return {};
}

Result<void> print_compile_times(const runtime::DeviceInfo& info) {
  const auto t = compile_times(RANGESCOPE_BENCH_DATA "/resnet50.jsonl.gz", runtime::options_for(info), 3);
  if (!t) return tl::unexpected(t.error());
  fmt::print(
      "\nResNet-50, {} kernels, from the AST to GLSL: median {:.1f} ms ({:.2f} of it GLSL), p95 {:.1f}, at most "
      "{:.1f}\n",
      t->kernels, t->median_ms, t->median_glsl_ms, t->p95_ms, t->largest_ms);
  return {};
}

Result<void> run(const Options& o) {
  auto device = runtime::Device::open({.selector = o.device});
  if (!device) return tl::unexpected(std::move(device.error()));
  Roof roof;
  roof.machine = measure_machine();
  const auto rates = runtime::measure_device(**device);
  if (!rates) return tl::unexpected(rates.error());
  roof.device = *rates;
  fmt::print("device         {}, copies {:.2f} GB/s, multiply-adds {:.2f} GFLOP/s\n", (*device)->info().name,
             roof.device.copy.rate(), roof.device.multiply_add.rate());
  fmt::print("plain C++ loop copies {:.2f} GB/s, multiply-adds {:.2f} GFLOP/s, on all cores\n\n",
             roof.machine.copy_gb_per_s, roof.machine.multiply_add_gflop_s);
  fmt::print(fmt::runtime(k_row), "task", "kernels", "best ms", "median", "p95", "cpu ms", "GFLOP/s", "GB/s",
             "/written", "of cpu", "/machine");
  const auto lines = programs();
  if (!lines) return tl::unexpected(lines.error());
  std::string wrong;
  for (const KernelCase& k : kernel_cases()) {
    if (k.name.find(o.filter) == std::string::npos) continue;
    const auto line = std::ranges::find(*lines, k.name, &std::pair<std::string, std::string>::first);
    if (line == lines->end()) return refuse(fmt::format("there is no program {}", k.name));
    if (auto done = compare(k, line->second, **device, roof, o); !done) {
      fmt::print(stderr, "{}\n", done.error().message);
      wrong = done.error().message;
    }
  }
  if (o.filter.empty())
    if (auto timed = print_compile_times((*device)->info()); !timed) return timed;
  if (!wrong.empty()) return refuse("not every task was compared, or not all numbers agree");
  return {};
}

}  // namespace

}  // namespace rangescope::bench

namespace {

int run_bench(int argc, char** argv) {
  rangescope::bench::Options o;
  CLI::App app("Generated kernels against the same written by hand");
  app.add_option("--device", o.device, "Vulkan device, by number or part of its name");
  app.add_option("--filter", o.filter, "only tasks whose name has this in it");
  app.add_option("--repeat", o.repeat, "timed repeats of each side in a round")->capture_default_str();
  app.add_option("--rounds", o.rounds, "rounds, in which the sides take turns")->capture_default_str();
  app.add_option("--search", o.search, "also search optimisations, with a beam of this width");
  app.add_option("--seconds", o.seconds, "most time of the search, for each kernel")->capture_default_str();
  app.add_flag("--forget", o.forget, "neither use nor keep what searches found");
  app.add_option("--shaders", o.shaders, "folder of the hand-written ones");
  app.add_option("--sources", o.sources, "write the generated GLSL into this folder");
  CLI11_PARSE(app, argc, argv);
  if (const auto done = rangescope::bench::run(o); !done) {
    fmt::print(stderr, "{}\n", done.error().message);
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_bench(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
