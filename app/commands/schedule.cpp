#include <fmt/format.h>

#include <string>
#include <utility>

#include "app/commands.h"
#include "app/console.h"
#include "app/programs.h"
#include "engine/ir/json_reader.h"
#include "engine/schedule/program_run.h"

namespace rangescope::app {

namespace {

// Nothing but the line is left of the program: what a run takes of time and memory is its own.
bool print_times(LoadedProgram& p, int repeat) {
  const std::string said = std::move(p.program.name);
  p.program = {};
  p.store.reset();
  const auto times = schedule::time_schedule(std::move(p.line), repeat);
  if (!times) {
    print_error(fmt::format("{}: {}", said, times.error().message));
    return false;
  }
  std::string name;
  append_json_string(name, said);
  fmt::print(
      "{{\"name\":{},\"ordinal\":{},\"input_nodes\":{},\"matches\":{},\"best_ms\":{:.3f},\"median_ms\":{:.3f}}}\n",
      name, p.ordinal, times->input_nodes, times->matches, times->best_ms, times->median_ms);
  return true;
}

}  // namespace

int run_schedule(const ScheduleOptions& options) {
  if (options.stats)
    return for_each_program(options.in, "scheduling", [&](LoadedProgram& p) { return print_times(p, options.repeat); });
  // Buffers without a name are numbered on from program to program, as in one process of the reference; of such a
  // process a recording holds only some programs, so that where it has numbers, they are where its own begin.
  UniqueSlots slots;
  return write_each_program(options.in, options.out, "scheduling", [&](LoadedProgram& p) -> ProgramOutcome {
    slots = schedule::recorded_slots(p.line, slots);
    schedule::schedule_program(p.program, slots);
    const std::string failure = p.program.error.value_or(p.program.schedule_error.value_or(""));
    if (!failure.empty()) print_error(fmt::format("{}: {}", p.program.name, failure));
    if (!options.out.empty()) return {failure.empty(), to_json(p.program) + "\n"};
    if (failure.empty()) {
      size_t matches = 0;
      for (const PassRecord& pass : *p.program.passes) matches += pass.matches.size();
      fmt::print("{}: {} passes, {} matches, {} kernels\n", p.program.name, p.program.passes->size(), matches,
                 p.program.schedule->size());
    }
    return {failure.empty(), {}};
  });
}

}  // namespace rangescope::app
