#include "engine/runtime/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace rangescope::runtime {
namespace {

tl::unexpected<Error> refuse_kernel(std::string_view kernel, const DeviceInfo& info, std::string_view reason) {
  return tl::unexpected(
      Error{fmt::format(R"(kernel "{}" cannot run on the Vulkan device "{}": {})", kernel, info.name, reason)});
}

uint32_t push_constant_bytes(const KernelSource& source) {
  uint32_t bytes = 0;
  for (const Variable& variable : source.variables) bytes = std::max(bytes, variable.offset + variable.size);
  return bytes;
}

Result<void> check_shape(const DeviceInfo& info, const KernelSource& source) {
  const DeviceLimits& limits = info.limits;
  if (!source.access.empty() && source.access.size() != source.buffer_count)
    return refuse_kernel(
        source.name, info,
        fmt::format("it has {} buffers but says of {} how it uses them", source.buffer_count, source.access.size()));
  if (source.buffer_count > limits.max_storage_buffers)
    return refuse_kernel(
        source.name, info,
        fmt::format("it has {} buffers, at most {} are possible; schedule with a lower MAX_KERNEL_BUFFERS",
                    source.buffer_count, limits.max_storage_buffers));
  for (const Variable& variable : source.variables)
    if ((variable.size != 4 && variable.size != 8) || variable.offset % variable.size != 0)
      return refuse_kernel(source.name, info,
                           fmt::format("variable \"{}\" has {} bytes at offset {}, which is no int32 or int64",
                                       variable.name, variable.size, variable.offset));
  if (push_constant_bytes(source) > limits.max_push_constant_bytes)
    return refuse_kernel(source.name, info,
                         fmt::format("its variables take {} bytes, at most {} are possible",
                                     push_constant_bytes(source), limits.max_push_constant_bytes));
  if (limits.max_loop_iterations != 0 && source.loop_iterations > limits.max_loop_iterations)
    return refuse_kernel(
        source.name, info,
        fmt::format("each invocation goes through {} loop iterations, but this driver ends all loops after {}; "
                    "unroll them, split the reduction, or use another device",
                    source.loop_iterations, limits.max_loop_iterations));
  uint64_t invocations = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    invocations *= source.local_size[axis];
    if (source.local_size[axis] == 0 || source.local_size[axis] > limits.max_workgroup_size[axis])
      return refuse_kernel(source.name, info,
                           fmt::format("its workgroup has {} invocations along axis {}, at most {} are possible",
                                       source.local_size[axis], axis, limits.max_workgroup_size[axis]));
  }
  if (invocations > limits.max_workgroup_invocations)
    return refuse_kernel(source.name, info,
                         fmt::format("its workgroup has {} invocations, at most {} are possible", invocations,
                                     limits.max_workgroup_invocations));
  return check_global_size(info, source.name, source.global_size);
}

struct CapabilityNeed {
  uint32_t capability;  // of the SPIR-V specification
  bool DeviceFeatures::*feature;
  const char* what;
};

constexpr CapabilityNeed k_needs[] = {
    {9, &DeviceFeatures::float16, "16-bit float arithmetic"},
    {10, &DeviceFeatures::float64, "64-bit floats"},
    {11, &DeviceFeatures::int64, "64-bit integers"},
    {22, &DeviceFeatures::int16, "16-bit integers"},
    {39, &DeviceFeatures::int8, "8-bit integers"},
    {4433, &DeviceFeatures::storage16, "16-bit types in buffers"},
    {4448, &DeviceFeatures::storage8, "8-bit types in buffers"},
};

// A module lists its capabilities first, so that the walk ends soon.
Result<void> check_capabilities(const DeviceInfo& info, std::string_view name, const std::vector<uint32_t>& spirv) {
  constexpr size_t k_header_words = 5;
  constexpr uint32_t k_op_capability = 17;
  for (size_t at = k_header_words; at + 1 < spirv.size(); at += 2) {
    if (spirv[at] != (2U << 16 | k_op_capability)) break;
    for (const CapabilityNeed& need : k_needs)
      if (need.capability == spirv[at + 1] && !(info.features.*need.feature))
        return refuse_kernel(name, info, fmt::format("it needs {}, which the device lacks", need.what));
  }
  return {};
}

}  // namespace

Result<void> check_global_size(const DeviceInfo& info, std::string_view name,
                               const std::array<uint32_t, 3>& global_size) {
  for (size_t axis = 0; axis < 3; ++axis)
    if (global_size[axis] > info.limits.max_workgroup_count[axis])
      return refuse_kernel(name, info,
                           fmt::format("it has {} workgroups along axis {}, at most {} are possible", global_size[axis],
                                       axis, info.limits.max_workgroup_count[axis]));
  return {};
}

Result<Kernel> build_kernel(Device& device, ShaderCompiler& compiler, const PipelineCache& cache, KernelSource source,
                            KernelReport& report) {
  report.name = source.name;
  if (auto checked = check_shape(device.info(), source); !checked) return tl::unexpected(std::move(checked.error()));
  auto shader = compiler.compile(source.name, source.glsl);
  if (!shader) return tl::unexpected(std::move(shader.error()));
  report.glsl_to_spirv_ns = shader->compile_ns;
  report.spirv = std::move(shader->spirv);
  if (auto checked = check_capabilities(device.info(), source.name, report.spirv); !checked)
    return tl::unexpected(std::move(checked.error()));

  const auto begin = std::chrono::steady_clock::now();
  const PipelineShape shape{source.buffer_count, push_constant_bytes(source)};
  auto pipeline = Pipeline::create(device, cache.handle(), source.name, report.spirv, shape);
  if (!pipeline) return tl::unexpected(std::move(pipeline.error()));
  const auto end = std::chrono::steady_clock::now();
  report.pipeline_ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count());
  return Kernel{std::move(source), std::move(*pipeline)};
}

}  // namespace rangescope::runtime
