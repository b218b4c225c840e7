#pragma once
// A schedule and its execution as rows of a trace. A trace of several programs numbers them on: `before` says how many
// rows of each kind there are already.

#include <cstdint>
#include <optional>
#include <vector>

#include "app/session/execution.h"
#include "engine/schedule/create_schedule.h"
#include "engine/trace/kernel_rows.h"
#include "engine/trace/recorder.h"

namespace rangescope::app {

struct Offsets {
  int64_t items = 0, kernels = 0, buffers = 0;
};

std::vector<trace::ScheduleRow> schedule_rows(trace::Recorder& recorder, const schedule::Schedule& schedule,
                                              const Offsets& before);
// Which kernel each item of the schedule launches.
void name_kernels(std::vector<trace::ScheduleRow>& items, const Execution& e, const Offsets& before);
// The times of one program after those of others, as one run.
void add_run(std::optional<trace::RunRow>& all, trace::RunRow run);
trace::RunRow run_row(const Execution& e, const runtime::Device& device, const Offsets& before);

void post_schedule(trace::Recorder& recorder, std::vector<trace::ScheduleRow> items);
// Kernels, buffers and launches. `sections`: of the kernels, in the order in which they were generated.
void post_execution(trace::Recorder& recorder, const Execution& e, const std::vector<int64_t>& sections,
                    const Offsets& before);

}  // namespace rangescope::app
