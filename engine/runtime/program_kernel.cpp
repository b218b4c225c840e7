#include "engine/runtime/program_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/codegen/heuristic.h"
#include "engine/codegen/loops.h"
#include "engine/ir/store.h"

namespace rangescope::runtime {

namespace {

Result<std::vector<int64_t>> values_of(const UOps& vars, const Variables& variables) {
  std::vector<int64_t> values;
  for (const UOp variable : vars) {
    const auto known = variables.find(variable.expr());
    if (known == variables.end())
      return refuse(fmt::format("variable \"{}\" has no value; give one from {} to {}", variable.expr(),
                                variable.vmin().to_int().to_string(), variable.vmax().to_int().to_string()));
    values.push_back(known->second);
  }
  return values;
}

uint64_t ns_between(std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point end) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count());
}

}  // namespace

codegen::Target target_for(const DeviceInfo& info) {
  codegen::Target target;
  const DeviceLimits& limits = info.limits;
  for (size_t axis = 0; axis < 3; ++axis) {
    target.global_max[axis] = std::min<int64_t>(target.global_max[axis], limits.max_workgroup_count[axis]);
    target.local_max[axis] = std::min<int64_t>(target.local_max[axis], limits.max_workgroup_size[axis]);
  }
  const DeviceFeatures& features = info.features;
  DTypeSet lacking;
  if (!features.float64) lacking = lacking | DType::float64;
  if (!features.int64) lacking = lacking | DTypeSet{DType::int64, DType::uint64};
  if (!features.float16 || !features.storage16) lacking = lacking | DType::float16;
  if (!features.int16 || !features.storage16) lacking = lacking | DTypeSet{DType::int16, DType::uint16};
  if (!features.int8 || !features.storage8) lacking = lacking | DTypeSet{DType::int8, DType::uint8};
  target.dtypes = target.dtypes - lacking;
  target.shared_max = std::min<int64_t>(target.shared_max, limits.max_shared_bytes);
  return target;
}

codegen::Optimizer profile_for(const DeviceInfo& info) {
  return info.software() ? codegen::processor_optimizations : nullptr;
}

void use_profile(ProgramOptions& options, const DeviceInfo& info) {
  options.settings.optimizer = profile_for(info);
  options.target.shares_work = !info.software();
}

Result<ProgramKernel> generate_kernel(UOp ast, const ProgramOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  auto generated = codegen::generate(ast, options.target, options.settings);
  if (!generated) return tl::unexpected(std::move(generated.error()));
  const auto middle = std::chrono::steady_clock::now();
  auto glsl = codegen::render_glsl(*generated, options.glsl);
  const std::string name = codegen::plain_name(generated->name);
  if (!glsl) return refuse(fmt::format("kernel \"{}\": {}", name, glsl.error().message));
  const auto end = std::chrono::steady_clock::now();

  ProgramKernel kernel;
  kernel.ast = ast;
  kernel.codegen_ns = ns_between(begin, end);
  kernel.glsl_ns = ns_between(middle, end);
  KernelSource& source = kernel.source;
  source.name = name;
  source.glsl = std::move(*glsl);
  source.buffer_count = static_cast<uint32_t>(generated->globals.size());
  for (const int64_t slot : generated->globals) {
    const auto in = [&](const std::vector<int64_t>& slots) { return std::ranges::find(slots, slot) != slots.end(); };
    source.access.push_back(!in(generated->outs) ? Access::read
                            : in(generated->ins) ? Access::read_write
                                                 : Access::write);
  }
  source.loop_iterations = codegen::plan_loops(generated->linear, options.glsl.max_loop_iterations).iterations;
  for (const codegen::PushConstant& constant : codegen::push_constants(*generated))
    source.variables.push_back({constant.variable.expr(), constant.offset, constant.size});
  if (generated->local_size)
    for (size_t axis = 0; axis < 3; ++axis) {
      const Dim& size = (*generated->local_size)[axis];
      if (!size.is_int() || size.value <= 0 || size.value > UINT32_MAX)
        return refuse(fmt::format("kernel \"{}\": its workgroup has no constant size along axis {}", name, axis));
      source.local_size[axis] = static_cast<uint32_t>(size.value);
    }
  if (auto counted = codegen::estimate(generated->linear)) kernel.estimate = *counted;
  kernel.program = std::move(*generated);
  return kernel;
}

Result<KernelLaunch> launch_of(const codegen::KernelProgram& kernel, const Variables& variables) {
  auto values = values_of(kernel.vars, variables);
  if (!values) return tl::unexpected(std::move(values.error()));
  KernelLaunch launch;
  launch.values = std::move(*values);
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto size = codegen::size_for(kernel.global_size[axis], kernel.vars, launch.values);
    if (!size) return tl::unexpected(size.error());
    if (*size < 0 || *size > UINT32_MAX)
      return refuse(fmt::format("the kernel is launched with {} workgroups along axis {}", *size, axis));
    launch.global_size[axis] = static_cast<uint32_t>(*size);
  }
  // The shader's constants, in the order of the kernel's variables.
  for (const codegen::PushConstant& constant : codegen::push_constants(kernel)) {
    const auto at = std::ranges::find(kernel.vars, constant.variable);
    if (at == kernel.vars.end()) return refuse("a push constant of the kernel is none of its variables");
    launch.constants.push_back(launch.values[static_cast<size_t>(at - kernel.vars.begin())]);
  }
  return launch;
}

ProgramOptions options_for(const DeviceInfo& device) {
  ProgramOptions options;
  options.target = target_for(device);
  options.glsl.max_loop_iterations = device.limits.max_loop_iterations;
  return options;
}

}  // namespace rangescope::runtime
