#pragma once
// From a schedule to what an Executor runs: kernels as GLSL, buffers, dispatches. Needs no device.

#include <cstddef>
#include <map>
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

// What one device of a program holds of a parameter or buffer. A node on several devices has as many, one after the
// other, each with memory of its own: all are on the one device of an Executor, and what moves between them is copied.
struct ProgramBuffer {
  UOp node;  // PARAM: the caller's; BUFFER: the schedule's own
  DType dtype = DType::void_;
  uint64_t bytes = 0;
  bool written = false;  // by some dispatch
  uint32_t device = 0;   // which of the node's devices
  uint32_t devices = 1;  // how many the node has
  bool is_parameter() const { return node.is(Op::PARAM); }
  int64_t slot() const { return node.arg().as<ParamArg>().slot; }
  // This device's part of what the node holds, device after device.
  uint64_t offset() const { return device * bytes; }
  uint64_t bytes_of_all() const { return devices * bytes; }
};

struct Program {
  std::vector<ProgramKernel> kernels;  // by first use
  std::vector<ProgramBuffer> buffers;  // by first use
  std::vector<Dispatch> dispatches;    // in execution order
  std::vector<size_t> calls;           // of each dispatch: the call of the schedule that it comes from
  std::vector<uint32_t> devices;       // of each dispatch: for which of the devices of its call
  std::vector<Work> work;              // of each dispatch
};

// Generates every kernel; one of several devices is dispatched for each of them. A program with a variable that has no
// value is refused by name. The passes of code generation are reported to the observer of the schedule's store.
Result<Program> build_program(const schedule::Schedule& schedule, const ProgramOptions& options);

// What parameters hold, by slot, device after device: from what each buffer of the program holds. Empty ones are left
// out.
std::map<int64_t, std::vector<std::byte>> contents_by_slot(const Program& program,
                                                           const std::vector<std::vector<std::byte>>& each);

// Compiles the program's kernels and makes its buffers, numbered as in the program.
Result<Executor> load_program(Device& device, const Program& program, const ExecutorOptions& options = {});

}  // namespace rangescope::runtime
