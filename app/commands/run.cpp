#include <fmt/format.h>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "app/kernel_table.h"
#include "app/models/models.h"
#include "app/programs.h"
#include "app/session/execution.h"
#include "app/values.h"
#include "app/verdict_line.h"
#include "engine/ir/json_reader.h"
#include "engine/runtime/numbers.h"
#include "engine/schedule/program_run.h"

namespace rangescope::app {

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
  const auto before = runtime::contents_by_slot(e->program, e->before);
  const auto after = runtime::contents_by_slot(e->program, e->after);
  for (const runtime::ProgramBuffer& b : e->program.buffers) {
    if (!b.is_parameter() || b.device > 0) continue;
    const auto count = static_cast<size_t>(b.bytes_of_all()) / static_cast<size_t>(itemsize(b.dtype));
    s +=
        (first ? "" : ",") + runtime::buffer_numbers(b.slot(), b.dtype, count, before.at(b.slot()), after.at(b.slot()));
    first = false;
  }
  return s + "]}\n";
}

// What is asked for besides the times.
bool keep_and_verify(runtime::Device& device, const LoadedProgram& p, const Execution& e, const RunOptions& options) {
  if (!options.save.empty())
    if (const auto saved = save_outputs(e, options.save); !saved) {
      print_error(saved.error().message);
      return false;
    }
  if (!options.verify) return true;
  return print_verdict(p.program.name,
                       verify_run(device, p.program.root, e, start_of(p).variables, limits_of_verification()));
}

}  // namespace

int run_run(const RunOptions& options) {
  if (is_onnx(options.in.path) && options.out.empty()) return run_onnx(options);
  if (!options.save.empty())
    if (const auto one = the_program(options.in); !one) return failed(one.error());
  auto device = open_device(options.settings);
  if (!device) return failed(device.error());
  const bool numbers = !options.out.empty();
  if (!numbers) fmt::print("on {}\n", device_line(**device));
  return write_each_program(options.in, options.out, "running", [&](LoadedProgram& p) -> ProgramOutcome {
    const auto schedule = schedule::scheduled(p.program);
    const RunSettings& settings = options.settings;
    const auto repeats = numbers ? 0U : static_cast<uint32_t>(settings.repeat);
    Result<Execution> e = schedule ? execute(**device, *schedule, static_cast<uint32_t>(settings.warm_up), repeats, {},
                                             start_of(p), settings, &p.program)
                                   : Result<Execution>(tl::unexpected(schedule.error()));
    if (!e) print_error(fmt::format("{}: {}", p.program.name, e.error().message));
    if (e && !numbers) {
      fmt::print("\n{}\n", p.program.name);
      print_times(*e);
    }
    const bool well = e && keep_and_verify(**device, p, *e, options);
    return {well, numbers ? numbers_line(p, e) : std::string()};
  });
}

}  // namespace rangescope::app
