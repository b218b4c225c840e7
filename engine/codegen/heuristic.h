#pragma once
// Optimisations that are chosen without measuring (reference: codegen/opt/heuristic.py).

#include "engine/codegen/kernel_axes.h"

namespace rangescope::codegen {

KernelAxes hand_coded_optimizations(const KernelAxes& kernel);

// The same with the numbers that suit a processor that plays a GPU (measured on llvmpipe): larger tiles in registers,
// since memory accesses cost most; long workgroups, since starting one costs more than an element; and nothing shared
// by a workgroup, since its invocations run one after another.
KernelAxes processor_optimizations(const KernelAxes& kernel);

}  // namespace rangescope::codegen
