#pragma once
// From a schedule to what an Executor runs: kernels as GLSL, buffers, dispatches. Needs no device.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/codegen/estimate.h"
#include "engine/codegen/glsl.h"
#include "engine/codegen/pipeline.h"
#include "engine/codegen/target.h"
#include "engine/runtime/device_info.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/launch.h"
#include "engine/schedule/create_schedule.h"

namespace rangescope::runtime {

// What one dispatch does; none: not known. Of a kernel as codegen::estimate counts it; a copy reads and writes.
struct Work {
  std::optional<int64_t> ops, bytes, access_bytes;
};

// One distinct kernel; calls of equal ASTs share it.
struct ProgramKernel {
  UOp ast;
  codegen::KernelProgram program;
  KernelSource source;
  uint64_t codegen_ns = 0;                    // from the AST to GLSL
  std::optional<codegen::Estimate> estimate;  // none: too large to count
};

struct ProgramBuffer {
  UOp node;  // PARAM: the caller's; BUFFER: the schedule's own
  DType dtype = DType::void_;
  uint64_t bytes = 0;
  bool is_parameter() const { return node.is(Op::PARAM); }
};

struct Program {
  std::vector<ProgramKernel> kernels;  // by first use
  std::vector<ProgramBuffer> buffers;  // by first use
  std::vector<Dispatch> dispatches;    // in execution order
  std::vector<size_t> calls;           // of each dispatch: the call of the schedule that it comes from
  std::vector<Work> work;              // of each dispatch
};

struct ProgramOptions {
  codegen::Target target;
  codegen::Settings settings;
  codegen::GlslOptions glsl;
  std::map<std::string, int64_t> variables;    // values by name
  std::function<void(UOp ast)> before_kernel;  // called before a kernel's code is generated, if set
};

// What code for a device may use.
codegen::Target target_for(const DeviceInfo& info);

// Generates every kernel. A program on several devices, or with a variable that has no value, is refused by name. The
// passes of code generation are reported to the observer of the schedule's store.
Result<Program> build_program(const schedule::Schedule& schedule, const ProgramOptions& options);

// Compiles the program's kernels and makes its buffers, numbered as in the program.
Result<Executor> load_program(Device& device, const Program& program, const ExecutorOptions& options = {});

}  // namespace rangescope::runtime
