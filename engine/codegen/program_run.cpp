#include "engine/codegen/program_run.h"

#include "engine/codegen/pipeline.h"
#include "engine/rewrite/pass_recorder.h"

namespace rangescope::codegen {

namespace {

LaunchRecord::Size sizes(const std::array<Dim, 3>& dims) {
  LaunchRecord::Size r;
  for (const Dim& d : dims) r.push_back(d.is_int() ? std::optional(d.value) : std::nullopt);
  return r;
}

}  // namespace

void generate_program(Program& program, const Target& target, const Settings& settings) {
  program.sink = {};
  program.linear = std::nullopt;
  program.launch = std::nullopt;
  program.error = std::nullopt;
  PassRecorder recorder;
  const Result<KernelProgram> kernel = [&] {
    const ObserverScope scope(program.root.store(), recorder);
    return generate(program.root, target, settings);
  }();
  program.passes = std::move(recorder.passes);
  if (!kernel) {
    program.error = kernel.error().message;
    return;
  }
  program.sink = kernel->sink;
  program.linear = kernel->linear;
  LaunchRecord& launch = program.launch.emplace();
  launch.name = kernel->name;
  launch.global_size = sizes(kernel->global_size);
  if (kernel->local_size) launch.local_size = sizes(*kernel->local_size);
  launch.globals = kernel->globals;
  launch.outs = kernel->outs;
  launch.ins = kernel->ins;
}

}  // namespace rangescope::codegen
