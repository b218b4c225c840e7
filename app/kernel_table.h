#pragma once

#include "app/session/execution.h"
#include "engine/trace/reader.h"

namespace rangescope::app {

// The dispatches of a program with their times, on stdout.
void print_times(const Execution& execution);

// The schedule of a trace with the times of its last run, on stdout. Nothing where the trace has no kernels.
Result<void> print_kernel_table(trace::Reader& reader);

}  // namespace rangescope::app
