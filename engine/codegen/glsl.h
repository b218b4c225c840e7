#pragma once
// A kernel's op list as GLSL for Vulkan compute.
//
// Interface of the shader: buffer i of KernelProgram::globals is set 0, binding i, a storage buffer of its dtype (bool
// as uint8_t). Variables are push constants, laid out as push_constants() says. Invocations: gl_WorkGroupID is the
// global index, gl_LocalInvocationID the local one; the workgroup size is a constant of the shader.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/codegen/pipeline.h"
#include "engine/ir/error.h"

namespace rangescope::codegen {

struct GlslOptions {
  bool comments = true;  // what the kernel, its buffers and loops are
  // Of all loops of an invocation together, where a driver ends them after so many: bodies are copied to stay below
  // (loops.h). 0: no limit.
  uint64_t max_loop_iterations = 0;
};

struct PushConstant {
  UOp variable;
  uint32_t offset;  // bytes
  uint32_t size;    // bytes: 4 or 8
};
std::vector<PushConstant> push_constants(const KernelProgram& program);

// Refuses an op or dtype that has no GLSL, by name.
Result<std::string> render_glsl(const KernelProgram& program, const GlslOptions& options = {});

}  // namespace rangescope::codegen
