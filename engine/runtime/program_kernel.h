#pragma once
// From the AST of a kernel to its GLSL and how it is launched. Needs no device.

#include <array>
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
#include "engine/runtime/launch.h"

namespace rangescope::runtime {

// One distinct kernel; calls of equal ASTs share it.
struct ProgramKernel {
  UOp ast;
  codegen::KernelProgram program;
  KernelSource source;
  uint64_t codegen_ns = 0;                    // from the AST to GLSL
  uint64_t glsl_ns = 0;                       // of it, from the op list to GLSL
  std::optional<codegen::Estimate> estimate;  // none: too large to count
};

using Variables = std::map<std::string, int64_t>;  // values by name

struct ProgramOptions {
  codegen::Target target;
  codegen::Settings settings;
  codegen::GlslOptions glsl;
  Variables variables;
  std::function<void(UOp ast)> before_kernel;  // called before a kernel's code is generated, if set
  // Optimisations for a kernel, if set; none: those of the optimiser of `settings`.
  std::function<Result<std::optional<std::vector<OptArg>>>(UOp ast)> choose_opts;
};

// What code for a device may use.
codegen::Target target_for(const DeviceInfo& info);

// The optimiser that suits a device; null: the reference's heuristic.
codegen::Optimizer profile_for(const DeviceInfo& info);
// Code as suits the device, not as the reference's heuristic has it: that optimiser, and the target's shares_work.
void use_profile(ProgramOptions& options, const DeviceInfo& info);

Result<ProgramKernel> generate_kernel(UOp ast, const ProgramOptions& options);

// A kernel's launch for values of its variables.
struct KernelLaunch {
  std::vector<int64_t> values;     // by variable of the kernel
  std::vector<int64_t> constants;  // the shader's constants
  std::array<uint32_t, 3> global_size{};
};
// Refuses a variable that has no value.
Result<KernelLaunch> launch_of(const codegen::KernelProgram& kernel, const Variables& variables);

// What code for a device is generated with.
ProgramOptions options_for(const DeviceInfo& device);

}  // namespace rangescope::runtime
