#pragma once
// How long code generation takes, kernel by kernel.

#include <string>
#include <vector>

#include "engine/ir/error.h"
#include "engine/runtime/program_kernel.h"

namespace rangescope::bench {

struct CompileTimes {
  size_t kernels = 0;
  double median_ms = 0, p95_ms = 0, largest_ms = 0;  // from the AST to GLSL
  double median_glsl_ms = 0;                         // of it, from the op list to GLSL
};

// Of the distinct kernels of the programs of a file, the fastest of `repeats` each, every time in a fresh store.
Result<CompileTimes> compile_times(const std::string& path, const runtime::ProgramOptions& options, int repeats);

}  // namespace rangescope::bench
