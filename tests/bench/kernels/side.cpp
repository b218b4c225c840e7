#include "tests/bench/kernels/side.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iterator>

#include "engine/runtime/numbers.h"
#include "engine/runtime/schedule_search.h"
#include "engine/schedule/program_run.h"

namespace rangescope::bench {

Result<Scheduled> scheduled(const std::string& line) {
  Scheduled s;
  auto program = read_program(line, *s.store, ReadWhat::Input);
  if (!program) return tl::unexpected(program.error());
  s.program = std::move(*program);
  auto made = schedule::scheduled(s.program);
  if (!made) return tl::unexpected(made.error());
  s.schedule = std::move(*made);
  return s;
}

namespace {

// Parameters of every side hold the same numbers.
Result<void> fill(runtime::Executor& executor, uint32_t buffer, int64_t slot, uint64_t bytes) {
  return executor.upload(buffer, runtime::corpus_fill(slot, DType::float32, bytes / sizeof(float)));
}

Result<std::string> shader_text(const std::string& folder, const HandStep& step) {
  const std::string path = folder + "/" + step.file;
  std::ifstream in(path);
  if (!in) return refuse(fmt::format("cannot read the shader {}", path));
  std::string text((std::istreambuf_iterator<char>(in)), {});
  std::string macros;
  for (const auto& [name, value] : step.values) macros += fmt::format("#define {} {}\n", name, value);
  const size_t version_end = text.find('\n');  // #version must stay first
  return text.insert(version_end + 1, macros);
}

// "layout(local_size_x = 8, local_size_y = 4) in;"
std::array<uint32_t, 3> local_size(const std::string& glsl) {
  std::array<uint32_t, 3> size{1, 1, 1};
  for (size_t axis = 0; axis < 3; ++axis) {
    const std::string name = fmt::format("local_size_{} = ", "xyz"[axis]);
    if (const size_t at = glsl.find(name); at != std::string::npos)
      size[axis] = static_cast<uint32_t>(std::stoul(glsl.substr(at + name.size())));
  }
  return size;
}

// A program in general may store to a part of a parameter, so the executor puts its contents back before every pass.
// These here store to all of it, as those written by hand do, and no side is to be timed with copies.
void write_without_reading(runtime::Program& program) {
  const auto in = [](const std::vector<int64_t>& slots, int64_t s) {
    return std::ranges::find(slots, s) != slots.end();
  };
  for (runtime::ProgramKernel& k : program.kernels)
    for (size_t i = 0; i < k.program.globals.size(); ++i)
      if (const int64_t slot = k.program.globals[i]; in(k.program.outs, slot) && !in(k.program.ins, slot))
        k.source.access[i] = runtime::Access::write;
}

}  // namespace

Result<std::vector<uint64_t>> parameter_bytes(const std::string& line) {
  const auto s = scheduled(line);
  if (!s) return tl::unexpected(s.error());
  std::vector<uint64_t> bytes;
  for (const schedule::ScheduledCall& call : s->schedule.calls)
    for (const UOp b : call.buffers) {
      if (!b.is(Op::PARAM)) continue;
      const auto slot = static_cast<size_t>(b.arg().as<ParamArg>().slot);
      if (bytes.size() <= slot) bytes.resize(slot + 1);
      bytes[slot] = static_cast<uint64_t>(b.max_numel()) * static_cast<uint64_t>(itemsize(b.dtype()));
    }
  return bytes;
}

Result<Side> generated_side(const std::string& name, runtime::Device& device, const std::string& line,
                            const runtime::ProgramOptions& options, const std::string& sources,
                            runtime::KernelSearch* search) {
  const auto s = scheduled(line);
  if (!s) return tl::unexpected(s.error());
  std::optional<runtime::OwnSchedule> faster;
  if (search != nullptr) {
    auto found = runtime::faster_schedule(*search, s->program, s->schedule, [&](const std::string& said) {
      fmt::print("# {}: {}\n", s->program.name, said);
    });
    if (!found) return tl::unexpected(std::move(found.error()));
    faster = std::move(*found);
  }
  auto program = runtime::build_program(faster ? faster->schedule : s->schedule, options);
  if (!program) return tl::unexpected(program.error());
  write_without_reading(*program);
  auto executor = runtime::load_program(device, *program);
  if (!executor) return tl::unexpected(std::move(executor.error()));
  if (!sources.empty())
    for (const runtime::ProgramKernel& k : program->kernels)
      std::ofstream(fmt::format("{}/{}_{}.comp", sources, name, k.source.name)) << k.source.glsl;
  Side side{name, std::move(*executor), program->dispatches};
  for (uint32_t i = 0; i < program->buffers.size(); ++i) {
    const runtime::ProgramBuffer& b = program->buffers[i];
    if (!b.is_parameter()) continue;
    const int64_t slot = b.node.arg().as<ParamArg>().slot;
    if (slot == 0) {
      side.output = i;
      side.output_bytes = b.bytes;
    }
    if (auto filled = fill(side.executor, i, slot, b.bytes); !filled) return tl::unexpected(filled.error());
  }
  return side;
}

Result<Side> written_side(runtime::Device& device, const KernelCase& kernel, const std::vector<uint64_t>& parameters,
                          const std::string& shader_folder) {
  std::vector<runtime::BufferDesc> buffers;
  buffers.reserve(parameters.size() + kernel.temporaries.size());
  for (const uint64_t bytes : parameters) buffers.push_back({bytes});
  for (const uint64_t bytes : kernel.temporaries) buffers.push_back({bytes});
  std::vector<runtime::KernelSource> sources;
  std::vector<runtime::Dispatch> dispatches;
  for (const HandStep& step : kernel.steps) {
    auto text = shader_text(shader_folder, step);
    if (!text) return tl::unexpected(std::move(text.error()));
    runtime::KernelSource source;
    source.name = step.file;
    source.glsl = std::move(*text);
    source.local_size = local_size(source.glsl);
    source.global_size = step.groups;
    source.buffer_count = static_cast<uint32_t>(step.buffers.size());
    source.access.assign(step.buffers.size(), runtime::Access::read);
    source.access[0] = runtime::Access::write;
    runtime::KernelDispatch dispatch{.kernel = static_cast<uint32_t>(sources.size())};
    for (const uint32_t b : step.buffers)
      dispatch.buffers.emplace_back(b < k_temporary ? b : static_cast<uint32_t>(parameters.size()) + b - k_temporary);
    dispatches.emplace_back(std::move(dispatch));
    sources.push_back(std::move(source));
  }
  auto executor = runtime::Executor::create(device, std::move(sources), buffers);
  if (!executor) return tl::unexpected(std::move(executor.error()));
  Side side{"written", std::move(*executor), std::move(dispatches), 0, parameters[0]};
  for (uint32_t slot = 0; slot < parameters.size(); ++slot)
    if (auto filled = fill(side.executor, slot, slot, parameters[slot]); !filled) return tl::unexpected(filled.error());
  return side;
}

Result<void> run_side(Side& side, uint32_t repeats) {
  const bool compiled = !side.pass_ns.empty();
  const std::clock_t begin = std::clock();
  const auto report = side.executor.run(side.dispatches, {.repeat = repeats});
  if (!report) return tl::unexpected(report.error());
  const double ms = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / (repeats + 1);
  if (compiled && (side.cpu_ms == 0 || ms < side.cpu_ms)) side.cpu_ms = ms;
  for (size_t r = 0; r < report->repeats.size(); ++r) {
    uint64_t ns = 0;
    for (const runtime::DispatchReport& d : report->dispatches)
      if (report->timed) ns += d.samples_ns[r];
    side.pass_ns.push_back(report->timed ? ns : report->repeats[r].wait_ns);
  }
  return {};
}

Result<std::vector<float>> output_of(Side& side) {
  std::vector<float> values(side.output_bytes / sizeof(float));
  if (auto got = side.executor.download(side.output, std::as_writable_bytes(std::span(values))); !got)
    return tl::unexpected(got.error());
  return values;
}

std::string disagreement(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return fmt::format("{} and {} elements", a.size(), b.size());
  double largest = 0;
  for (const float x : a) largest = std::max(largest, std::abs(double{x}));
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(double{a[i]} - double{b[i]}) <= 1e-4 * largest + 1e-30))
      return fmt::format("element {} is {} and {}, the largest is {}", i, a[i], b[i], largest);
  return {};
}

}  // namespace rangescope::bench
