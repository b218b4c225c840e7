#pragma once
// A scheduled program on a Vulkan device: generated, compiled, filled, run, timed.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
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

// What a program starts from: the bytes of parameters by slot (others get the corpus's fill), and variables by name.
struct StartValues {
  std::map<int64_t, std::span<const std::byte>> contents;
  std::map<std::string, int64_t> variables;
};

// `repeats` 0: only the pass that gives the values. `before_kernel`, if set, is called before each kernel's code is
// generated. Of the settings, those that choose optimisations count.
Result<Execution> execute(runtime::Device& device, const schedule::Schedule& schedule, uint32_t warm_ups,
                          uint32_t repeats, const std::function<void(UOp ast)>& before_kernel = {},
                          const StartValues& start = {}, const RunSettings& settings = {});

// The device in words, for a line of output.
std::string device_line(const runtime::Device& device);

}  // namespace rangescope::app
