#pragma once
// `rangescope run model.onnx`: its outputs, and the times of its kernels.

#include "app/commands.h"
#include "app/session/execution.h"

namespace rangescope::app {

int run_onnx(const RunOptions& options);

// The table of a program's dispatches and their times (commands/run.cpp).
void print_times(const Execution& execution);

}  // namespace rangescope::app
