#pragma once
// What a rewritten kernel needs to be launched (reference: uop/ops.py, ProgramInfo.from_sink).

#include "engine/codegen/pipeline.h"

namespace rangescope::codegen {

// Everything of the program but its op list.
KernelProgram program_from_sink(UOp sink);

}  // namespace rangescope::codegen
