#pragma once
// From a schedule to what an Executor runs: kernels as GLSL, buffers, dispatches. Needs no device.

#include <optional>
#include <vector>

#include "engine/runtime/executor.h"
#include "engine/runtime/launch.h"
#include "engine/runtime/program_kernel.h"
#include "engine/schedule/create_schedule.h"

namespace rangescope::runtime {

// What one dispatch does; none: not known. Of a kernel as codegen::estimate counts it; a copy reads and writes.
struct Work {
  std::optional<int64_t> ops, bytes, access_bytes;
};

struct ProgramBuffer {
  UOp node;  // PARAM: the caller's; BUFFER: the schedule's own
  DType dtype = DType::void_;
  uint64_t bytes = 0;
  bool written = false;  // by some dispatch
  bool is_parameter() const { return node.is(Op::PARAM); }
};

struct Program {
  std::vector<ProgramKernel> kernels;  // by first use
  std::vector<ProgramBuffer> buffers;  // by first use
  std::vector<Dispatch> dispatches;    // in execution order
  std::vector<size_t> calls;           // of each dispatch: the call of the schedule that it comes from
  std::vector<Work> work;              // of each dispatch
};

// Generates every kernel. A program on several devices, or with a variable that has no value, is refused by name. The
// passes of code generation are reported to the observer of the schedule's store.
Result<Program> build_program(const schedule::Schedule& schedule, const ProgramOptions& options);

// Compiles the program's kernels and makes its buffers, numbered as in the program.
Result<Executor> load_program(Device& device, const Program& program, const ExecutorOptions& options = {});

}  // namespace rangescope::runtime
