#pragma once
// `rangescope run model.onnx`: its outputs, and the times of its kernels.

#include "app/commands.h"

namespace rangescope::app {

int run_onnx(const RunOptions& options);

}  // namespace rangescope::app
