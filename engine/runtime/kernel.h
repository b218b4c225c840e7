#pragma once

#include "engine/runtime/launch.h"
#include "engine/runtime/pipeline.h"
#include "engine/runtime/pipeline_cache.h"
#include "engine/runtime/report.h"
#include "engine/runtime/shader_compiler.h"

namespace rangescope::runtime {

// A kernel that is ready to be dispatched.
struct Kernel {
  KernelSource source;
  Pipeline pipeline;

  uint32_t push_constant_bytes() const { return pipeline.shape().push_constant_bytes; }
  Access access(uint32_t binding) const { return source.access.empty() ? Access::read_write : source.access[binding]; }
};

// Workgroup counts within the device's limits; `name` is the kernel's.
Result<void> check_global_size(const DeviceInfo& info, std::string_view name,
                               const std::array<uint32_t, 3>& global_size);

// GLSL to SPIR-V to a pipeline. Refused, before the driver sees it, where the kernel exceeds a limit or needs a type
// that the device lacks. Fills `report`.
Result<Kernel> build_kernel(Device& device, ShaderCompiler& compiler, const PipelineCache& cache, KernelSource source,
                            KernelReport& report);

}  // namespace rangescope::runtime
