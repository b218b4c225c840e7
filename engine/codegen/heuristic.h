#pragma once
// The optimisations that the reference chooses without measuring (reference: codegen/opt/heuristic.py).

#include "engine/codegen/kernel_axes.h"

namespace rangescope::codegen {

KernelAxes hand_coded_optimizations(const KernelAxes& kernel);

}  // namespace rangescope::codegen
