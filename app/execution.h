#pragma once
// A scheduled program on a Vulkan device: generated, compiled, filled, run, timed.

#include <functional>
#include <memory>
#include <vector>

#include "app/commands.h"
#include "engine/runtime/device.h"
#include "engine/runtime/program.h"
#include "engine/schedule/create_schedule.h"

namespace rangescope::app {

struct Execution {
  runtime::Program program;
  runtime::RunReport report;
  std::vector<runtime::KernelReport> kernels;
  // By buffer of the program, for parameters: contents before and after one pass.
  std::vector<std::vector<std::byte>> before, after;
};

// Opens a device once for many programs.
Result<std::unique_ptr<runtime::Device>> open_device(const RunSettings& settings);

// Parameters get the corpus's fill. `repeats` 0: only the pass that gives the values.
// `before_kernel`, if set, is called before each kernel's code is generated.
Result<Execution> execute(runtime::Device& device, const schedule::Schedule& schedule, uint32_t warm_ups,
                          uint32_t repeats, const std::function<void(UOp ast)>& before_kernel = {});

// The device in words, for a line of output.
std::string device_line(const runtime::Device& device);

}  // namespace rangescope::app
