#pragma once
// A scheduled program on a Vulkan device: generated, compiled, filled, run, timed.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/commands.h"
#include "engine/ir/program.h"
#include "engine/runtime/device.h"
#include "engine/runtime/program.h"
#include "engine/schedule/create_schedule.h"

namespace rangescope::app {

struct Execution {
  std::unique_ptr<Store> store;  // that the program's nodes live in, where it has a schedule of its own
  runtime::Program program;
  runtime::RunReport report;
  std::vector<runtime::KernelReport> kernels;
  // By buffer of the program, for parameters: contents before and after one pass. runtime::contents_by_slot joins those
  // of a parameter on several devices.
  std::vector<std::vector<std::byte>> before, after;
};

// Opens a device once for many programs.
Result<std::unique_ptr<runtime::Device>> open_device(const RunSettings& settings);

// What a program starts from: the bytes of parameters by slot, device after device, and variables by name.
struct StartValues {
  std::map<int64_t, std::span<const std::byte>> contents;
  std::map<std::string, int64_t> variables;
  // What other parameters hold: 0 the corpus's fill, any other number others of that kind (see other_numbers).
  int64_t seed = 0;
  // Parameters that hold another part on every device; others on several devices hold copies.
  std::set<int64_t> sharded;
};

// Elements of a buffer under a seed: floats from -1 to 1, integers from 0 to 3, bools, the same on every machine. They
// are the corpus's fill of another slot, so that a kernel that takes them as indices stays within its buffers.
std::vector<std::byte> other_numbers(int64_t seed, int64_t slot, DType dtype, size_t count);

// What a parameter's buffer holds at first that nothing else is said of.
std::vector<std::byte> start_numbers(const StartValues& start, const runtime::ProgramBuffer& buffer);

// `repeats` 0: only the pass that gives the values. `before_kernel`, if set, is called before each kernel's code is
// generated. Of the settings, those that choose optimisations count. `source`, if named, is what was scheduled: then a
// search chooses between schedules, too.
Result<Execution> execute(runtime::Device& device, const schedule::Schedule& schedule, uint32_t warm_ups,
                          uint32_t repeats, const std::function<void(UOp ast)>& before_kernel = {},
                          const StartValues& start = {}, const RunSettings& settings = {},
                          const Program* source = nullptr);
// The same of a program whose kernels are generated.
Result<Execution> execute_program(runtime::Device& device, runtime::Program program, uint32_t warm_ups,
                                  uint32_t repeats, const StartValues& start = {},
                                  const runtime::ExecutorOptions& options = {});

// The device in words, for a line of output.
std::string device_line(const runtime::Device& device);

}  // namespace rangescope::app
