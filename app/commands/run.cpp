#include <fmt/format.h>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "app/kernel_table.h"
#include "app/models/onnx_program.h"
#include "app/models/run_onnx.h"
#include "app/programs.h"
#include "app/session/execution.h"
#include "engine/codegen/pipeline.h"
#include "engine/ir/json_reader.h"
#include "engine/runtime/numbers.h"
#include "engine/schedule/pipeline.h"
#include "engine/schedule/program_run.h"

namespace rangescope::app {

namespace {

Result<schedule::Schedule> scheduled(LoadedProgram& p) {
  schedule::apply_settings(p.program, *p.store);
  const Result<UOp> graph = schedule::get_kernel_graph(p.program.root);
  if (!graph) return tl::unexpected(graph.error());
  return schedule::create_schedule(*graph);
}

}  // namespace

void print_times(const Execution& e) {
  uint64_t total = 0;
  for (const runtime::DispatchReport& d : e.report.dispatches) total += d.times.median_ns;
  constexpr const char* kRow = "{:>4}  {:>4}  {:>10}  {:>10}  {:>10}  {:>10}  {:>10}  {:>6}  {:>8}  {:>8}  {}\n";
  fmt::print(fmt::runtime(kRow), "#", "n", "first us", "min us", "median us", "p95 us", "spread us", "share", "GFLOP/s",
             "GB/s", "kernel");
  const auto us = [](uint64_t ns) { return fmt::format("{:.2f}", static_cast<double>(ns) / 1e3); };
  for (size_t i = 0; i < e.report.dispatches.size(); ++i) {
    const runtime::Statistics& t = e.report.dispatches[i].times;
    const auto* k = std::get_if<runtime::KernelDispatch>(&e.program.dispatches[i]);
    const runtime::Work& work = e.program.work[i];
    fmt::print(
        fmt::runtime(kRow), i + 1, t.count, us(e.report.dispatches[i].first_ns), us(t.min_ns), us(t.median_ns),
        us(t.p95_ns), us(t.spread_ns),
        fmt::format("{:.1f}%", total > 0 ? 100.0 * static_cast<double>(t.median_ns) / static_cast<double>(total) : 0.0),
        rate_text(work.ops, static_cast<int64_t>(t.median_ns)),
        rate_text(work.bytes, static_cast<int64_t>(t.median_ns)),
        k != nullptr ? codegen::plain_name(e.program.kernels[k->kernel].program.name) : "copy");
  }
  fmt::print(
      "      {:.2f} us in all by the medians; {} repeats after the first run, which gives the values, and {} "
      "warm-ups\n",
      static_cast<double>(total) / 1e3, e.report.repeats.size(), e.report.warmups.size());
  if (!e.report.timed && !e.report.note.empty()) fmt::print("{}\n", e.report.note);
}

namespace {

std::string numbers_line(const LoadedProgram& p, const Result<Execution>& e) {
  std::string s = "{\"name\":";
  append_json_string(s, p.program.name);
  s += fmt::format(",\"ordinal\":{}", p.ordinal);
  if (!e) {
    s += ",\"error\":";
    append_json_string(s, e.error().message);
    return s + "}\n";
  }
  s += ",\"buffers\":[";
  bool first = true;
  for (size_t i = 0; i < e->program.buffers.size(); ++i) {
    if (e->before[i].empty()) continue;
    const runtime::ProgramBuffer& b = e->program.buffers[i];
    s += (first ? "" : ",") +
         runtime::buffer_numbers(b.node.arg().as<ParamArg>().slot, b.dtype,
                                 static_cast<size_t>(b.bytes) / static_cast<size_t>(itemsize(b.dtype)), e->before[i],
                                 e->after[i]);
    first = false;
  }
  return s + "]}\n";
}

}  // namespace

int run_run(const RunOptions& options) {
  if (is_onnx(options.in.path) && options.out.empty()) return run_onnx(options);
  if (options.compare || !options.save.empty())
    return failed({options.in.path + ": --save and --compare are for ONNX models (.onnx), and go without -o"});
  auto device = open_device(options.settings);
  if (!device) return failed(device.error());
  const bool numbers = !options.out.empty();
  if (!numbers) fmt::print("on {}\n", device_line(**device));
  return write_each_program(options.in, options.out, "running", [&](LoadedProgram& p) -> ProgramOutcome {
    const auto schedule = scheduled(p);
    const RunSettings& settings = options.settings;
    const auto repeats = numbers ? 0U : static_cast<uint32_t>(settings.repeat);
    Result<Execution> e =
        schedule ? execute(**device, *schedule, static_cast<uint32_t>(settings.warm_up), repeats, {}, {}, settings)
                 : Result<Execution>(tl::unexpected(schedule.error()));
    if (!e) print_error(fmt::format("{}: {}", p.program.name, e.error().message));
    if (numbers) return {e.has_value(), numbers_line(p, e)};
    if (e) {
      fmt::print("\n{}\n", p.program.name);
      print_times(*e);
    }
    return {e.has_value(), {}};
  });
}

}  // namespace rangescope::app
