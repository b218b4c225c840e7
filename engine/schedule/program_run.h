#pragma once
// Scheduling a whole program of a file: its settings, its kernel graph, the order of its kernels, and every pass and
// match on the way.

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/ir/call.h"
#include "engine/ir/error.h"
#include "engine/ir/program.h"
#include "engine/schedule/create_schedule.h"

namespace rangescope::schedule {

// The settings of a program onto its store.
void apply_settings(const Program& program, Store& store);

// The program's schedule under its own settings, and on request its kernel graph. The store is one of
// symbolic::make_store().
Result<Schedule> scheduled(const Program& program, UOp* kernel_graph = nullptr);

// Schedules the graph under program.root and sets passes, kernel_graph, schedule, error and schedule_error. The store
// is one of symbolic::make_store(). What the file said about these before is forgotten. Buffers that no one named are
// numbered through all the programs of a file, as the reference numbers them through a process: `slots` goes on from
// program to program.
void schedule_program(Program& program, UniqueSlots& slots);
inline void schedule_program(Program& program) {
  UniqueSlots slots;
  schedule_program(program, slots);
}

// Where that numbering stood when the program in a line of JSON was recorded: corpus files leave out programs of the
// process that recorded them, so the number cannot be had from the lines before. `otherwise` where the line records no
// such buffer.
UniqueSlots recorded_slots(std::string_view line, UniqueSlots otherwise);

// How long scheduling takes with no observer: from the graph to the kernel graph, each run in a fresh store, reading
// the program apart. An error where the program cannot be read or scheduled.
struct ScheduleTimes {
  size_t input_nodes = 0;
  size_t matches = 0;  // of one observed run
  double best_ms = 0;
  double median_ms = 0;
};
Result<ScheduleTimes> time_schedule(std::string line, int repeat);

}  // namespace rangescope::schedule
