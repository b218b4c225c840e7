#include "engine/runtime/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "engine/runtime/executor.h"

namespace rangescope::runtime {

namespace {

constexpr uint32_t k_group = 256;
constexpr uint32_t k_chains = 16;   // independent sums of an invocation, to hide the latency of one
constexpr uint32_t k_rounds = 500;  // on each of them

KernelSource copy_kernel(uint64_t bytes) {
  KernelSource k;
  k.name = "measure_copy";
  k.glsl =
      "#version 460\nlayout(local_size_x = 256) in;\n"
      "layout(std430, set = 0, binding = 0) readonly buffer From { vec4 from[]; };\n"
      "layout(std430, set = 0, binding = 1) writeonly buffer To { vec4 to[]; };\n"
      "void main() { to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x]; }\n";
  k.local_size = {k_group, 1, 1};
  k.global_size = {static_cast<uint32_t>(bytes / 16 / k_group), 1, 1};
  k.buffer_count = 2;
  k.access = {Access::read, Access::write};
  return k;
}

KernelSource multiply_add_kernel(uint32_t groups) {
  KernelSource k;
  k.name = "measure_multiply_add";
  std::string body = "  float x = data[gl_GlobalInvocationID.x], y = x * 0.5 + 0.25;\n", round, sum;
  for (uint32_t c = 0; c < k_chains; ++c) {
    const std::string name = "s" + std::to_string(c);
    body += fmt::format("  float {} = x + float({});\n", name, c);
    round += fmt::format("    {0} = {0} * y + x;\n", name);
    sum += (c > 0 ? " + " : "") + name;
  }
  k.glsl =
      "#version 460\nlayout(local_size_x = 256) in;\n"
      "layout(std430, set = 0, binding = 0) buffer Data { float data[]; };\nvoid main() {\n" +
      body + "  for (int i = 0; i < " + std::to_string(k_rounds) + "; ++i) {\n" + round +
      "  }\n  data[gl_GlobalInvocationID.x] = " + sum + ";\n}\n";
  k.local_size = {k_group, 1, 1};
  k.global_size = {groups, 1, 1};
  k.buffer_count = 1;
  k.loop_iterations = k_rounds;
  return k;
}

// Without timestamps, as the host saw it.
Statistics times_of(const RunReport& report, size_t dispatch) {
  if (report.timed) return report.dispatches[dispatch].times;
  std::vector<uint64_t> waits;
  for (const PassTimes& t : report.repeats) waits.push_back(t.wait_ns);
  return summarize(std::move(waits));
}

Result<Statistics> run_alone(Device& device, KernelSource kernel, const std::vector<BufferDesc>& buffers) {
  std::vector<BufferRange> ranges;
  for (uint32_t i = 0; i < buffers.size(); ++i) ranges.emplace_back(i);
  std::vector<KernelSource> kernels;
  kernels.push_back(std::move(kernel));
  auto executor = Executor::create(device, std::move(kernels), buffers, {.cache_folder = {}});
  if (!executor) return tl::unexpected(std::move(executor.error()));
  const std::vector<Dispatch> dispatches = {KernelDispatch{.kernel = 0, .buffers = ranges}};
  RunOptions options;
  options.warmup = 1;
  options.repeat = 10;
  options.repeat_budget = std::chrono::milliseconds(500);
  const auto report = executor->run(dispatches, options);
  if (!report) return tl::unexpected(report.error());
  return times_of(*report, 0);
}

}  // namespace

Result<DeviceRates> measure_device(Device& device) {
  const DeviceLimits& limits = device.info().limits;
  DeviceRates rates;
  // larger than caches, smaller than what the device may take
  uint64_t bytes = uint64_t{64} << 20;
  while (bytes > limits.max_storage_buffer_range || bytes / 16 / k_group > limits.max_workgroup_count[0] ||
         (limits.memory_bytes != 0 && 4 * bytes > limits.memory_bytes))
    bytes /= 2;
  auto copied = run_alone(device, copy_kernel(bytes), {{bytes}, {bytes}});
  if (!copied) return tl::unexpected(std::move(copied.error()));
  rates.copy = {2 * bytes, *copied};
  // enough invocations to fill a GPU, few enough for a CPU
  const uint32_t groups = std::min<uint32_t>(device.info().type == VK_PHYSICAL_DEVICE_TYPE_CPU ? 128 : 16384,
                                             limits.max_workgroup_count[0]);
  auto added = run_alone(device, multiply_add_kernel(groups), {{uint64_t{groups} * k_group * 4}});
  if (!added) return tl::unexpected(std::move(added.error()));
  rates.multiply_add = {uint64_t{groups} * k_group * k_rounds * k_chains * 2, *added};
  return rates;
}

}  // namespace rangescope::runtime
