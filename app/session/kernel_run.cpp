#include "app/session/kernel_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "app/session/execution.h"
#include "engine/codegen/search_space.h"
#include "engine/ir/elements.h"
#include "engine/ir/traversal.h"
#include "engine/runtime/numbers.h"
#include "engine/runtime/program_kernel.h"

namespace rangescope::app {

namespace {

using Bytes = std::vector<std::byte>;

// Alternating, so that what slows the machine down slows all of them down.
constexpr uint32_t k_rounds = 4;

constexpr uint64_t k_most_bytes = uint64_t{2} << 30U;  // of the buffers of a kernel with other sizes

// Columns of what is stored: the size of the loop that walks neighbouring elements, if the numbers say so.
int64_t width_of(UOp ast, uint64_t count) {
  int64_t width = 0;
  for (const UOp u : toposort(ast)) {
    if (!u.is(Op::END)) continue;
    for (const UOp r : u.srcs().subspan(1))
      if (r.is(Op::RANGE) && r.src(0).is(Op::CONST)) {
        const auto n = r.src(0).arg().as<Scalar>().to_int().to_int64();
        if (n && *n > 1 && count % static_cast<uint64_t>(*n) == 0) width = *n;
      }
  }
  return static_cast<uint64_t>(width) == count ? 0 : width;
}

class KernelRunner {
 public:
  KernelRunner(runtime::Device& device, const KernelRunOptions& options) : device_(device), options_(options) {}

  Result<void> prepare(const schedule::Schedule& schedule);
  Result<KernelRun> run(const std::vector<KernelVariant>& variants);

 private:
  struct Ready {
    std::vector<runtime::Dispatch> dispatch;  // one
    std::vector<Bytes> written;               // what it wrote, by binding; empty: it writes nothing there
  };
  Result<void> fill();
  Result<Ready> make(const KernelVariant& variant, VariantTimes& times);
  Result<void> time_once(Ready& ready, uint32_t repeats, VariantTimes& times);
  Result<void> time_resized(const Sizes& sizes, VariantTimes& times);
  Result<Bytes> download(size_t binding);
  Result<void> restore();
  void compare(const Ready& first, const Ready& other, VariantTimes& times) const;
  const runtime::ProgramKernel& kernel() const { return program_.kernels[launch_.kernel]; }
  runtime::Access access(size_t binding) const {
    const auto& known = kernel().source.access;
    return known.empty() ? runtime::Access::read_write : known[binding];
  }
  const runtime::ProgramBuffer& buffer(size_t binding) const {
    return program_.buffers[launch_.buffers[binding].buffer];
  }
  std::pair<size_t, size_t> part(size_t binding) const {  // offset and size in bytes
    const runtime::BufferRange& r = launch_.buffers[binding];
    return {r.offset, std::min(r.bytes, buffer(binding).bytes - r.offset)};
  }

  runtime::Device& device_;
  const KernelRunOptions& options_;
  runtime::ProgramOptions generating_;
  runtime::Program program_;
  std::optional<runtime::Executor> executor_;
  runtime::KernelDispatch launch_;
  runtime::Work work_;
  std::map<uint32_t, Bytes> start_;  // by buffer: what is updated in place starts from
};

Result<void> KernelRunner::prepare(const schedule::Schedule& schedule) {
  if (options_.call >= schedule.calls.size()) return refuse("the program has no such kernel");
  generating_ = runtime::options_for(device_.info());
  generating_.variables = options_.variables;
  auto program = runtime::build_program(schedule, generating_);
  if (!program) return tl::unexpected(program.error());
  program_ = std::move(*program);
  const auto at = std::ranges::find(program_.calls, options_.call);
  const auto index = static_cast<size_t>(at - program_.calls.begin());
  if (at == program_.calls.end() || !std::holds_alternative<runtime::KernelDispatch>(program_.dispatches[index]))
    return refuse("it is no generated kernel, and has no source");
  launch_ = std::get<runtime::KernelDispatch>(program_.dispatches[index]);
  work_ = program_.work[index];
  auto executor = runtime::load_program(device_, program_);
  if (!executor) return tl::unexpected(executor.error());
  executor_.emplace(std::move(*executor));
  if (auto r = fill(); !r) return r;
  if (index > 0)
    if (auto r = executor_->run(std::span(program_.dispatches).first(index)); !r) return tl::unexpected(r.error());
  for (size_t b = 0; b < launch_.buffers.size(); ++b) {
    if (access(b) == runtime::Access::read) continue;
    const uint32_t number = launch_.buffers[b].buffer;
    Bytes& bytes = start_[number];
    bytes.resize(program_.buffers[number].bytes);
    if (auto r = executor_->download(number, bytes); !r) return r;
  }
  return {};
}

Result<void> KernelRunner::fill() {
  StartValues start;
  start.sharded = options_.sharded;
  for (size_t i = 0; i < program_.buffers.size(); ++i) {
    const runtime::ProgramBuffer& b = program_.buffers[i];
    if (!b.is_parameter()) continue;
    const auto bytes = start_numbers(start, b);
    if (auto r = executor_->upload(static_cast<uint32_t>(i), bytes); !r) return r;
  }
  return {};
}

Result<KernelRunner::Ready> KernelRunner::make(const KernelVariant& variant, VariantTimes& times) {
  runtime::KernelSource source = kernel().source;
  runtime::KernelDispatch dispatch = launch_;
  if (variant.opts) {
    auto made = runtime::generate_kernel(codegen::with_opts(kernel().ast, *variant.opts), generating_);
    if (!made) return tl::unexpected(made.error());
    if (made->program.globals != kernel().program.globals)
      return refuse("it takes other buffers than the kernel as it is");
    const auto launch = runtime::launch_of(made->program, options_.variables);
    if (!launch) return tl::unexpected(launch.error());
    made->source.access = source.access;
    source = std::move(made->source);
    dispatch.values = launch->constants;
    dispatch.global_size = launch->global_size;
  }
  if (variant.glsl) source.glsl = *variant.glsl;
  if (variant.global_size) dispatch.global_size = *variant.global_size;
  times.glsl = source.glsl;
  times.local_size = source.local_size;
  times.ops = work_.ops;
  times.bytes = work_.bytes;
  times.global_size = dispatch.global_size.value_or(source.global_size);
  const auto number = executor_->add_kernel(std::move(source));
  if (!number) return tl::unexpected(number.error());
  dispatch.kernel = *number;
  Ready ready;
  ready.dispatch.emplace_back(std::move(dispatch));
  return ready;
}

Result<void> KernelRunner::restore() {
  for (const auto& [number, bytes] : start_)
    if (auto r = executor_->upload(number, bytes); !r) return r;
  return {};
}

Result<Bytes> KernelRunner::download(size_t binding) {
  const auto [offset, size] = part(binding);
  Bytes whole(buffer(binding).bytes);
  if (auto r = executor_->download(launch_.buffers[binding].buffer, whole); !r) return tl::unexpected(r.error());
  return Bytes(whole.begin() + static_cast<ptrdiff_t>(offset), whole.begin() + static_cast<ptrdiff_t>(offset + size));
}

Result<void> KernelRunner::time_once(Ready& ready, uint32_t repeats, VariantTimes& times) {
  if (auto r = restore(); !r) return r;
  runtime::RunOptions how;
  how.warmup = repeats > 0 ? 1 : 0;
  how.repeat = repeats;
  how.repeat_budget = std::chrono::seconds(3);
  const auto report = executor_->run(ready.dispatch, how);
  if (!report) return tl::unexpected(report.error());
  if (ready.written.empty()) {
    for (size_t b = 0; b < launch_.buffers.size(); ++b) {
      Bytes bytes;
      if (access(b) != runtime::Access::read) {
        auto held = download(b);
        if (!held) return tl::unexpected(held.error());
        bytes = std::move(*held);
      }
      ready.written.push_back(std::move(bytes));
    }
  }
  for (size_t i = 0; i < report->repeats.size(); ++i)
    times.samples_ns.push_back(report->timed ? report->dispatches[0].samples_ns[i] : report->repeats[i].wait_ns);
  return {};
}

// On buffers of its own, whose size is another, too.
Result<void> KernelRunner::time_resized(const Sizes& sizes, VariantTimes& times) {
  const auto ast = with_sizes(kernel().ast, sizes);
  if (!ast) return tl::unexpected(ast.error());
  UOps arguments;  // by slot
  uint64_t bytes = 0;
  for (const UOp u : toposort(*ast)) {
    if (!u.is(Op::PARAM) || u.addrspace() == AddrSpace::ALU) continue;
    const auto slot = static_cast<size_t>(u.arg().as<ParamArg>().slot);
    if (arguments.size() <= slot) arguments.resize(slot + 1, u);  // gaps are not used
    arguments[slot] = u;
    bytes += static_cast<uint64_t>(u.max_numel()) * static_cast<uint64_t>(itemsize(u.dtype()));
  }
  if (bytes > k_most_bytes)
    return refuse(fmt::format("its buffers would take {} MiB, beyond the {} MiB that are tried here", bytes >> 20U,
                              k_most_bytes >> 20U));
  runtime::ProgramOptions how = generating_;
  for (const auto& [name, size] : sizes) how.variables[name] = size;
  auto program = runtime::build_program({UOp{}, {{*ast, arguments}}}, how);
  if (!program) return tl::unexpected(program.error());
  const auto e = execute_program(device_, std::move(*program), 1, std::max(1U, options_.repeats));
  if (!e) return tl::unexpected(e.error());
  const runtime::KernelSource& source = e->program.kernels.at(0).source;
  times.glsl = source.glsl;
  times.local_size = source.local_size;
  times.global_size =
      std::get<runtime::KernelDispatch>(e->program.dispatches.at(0)).global_size.value_or(source.global_size);
  times.ops = e->program.work[0].ops;
  times.bytes = e->program.work[0].bytes;
  for (size_t i = 0; i < e->report.repeats.size(); ++i)
    times.samples_ns.push_back(e->report.timed ? e->report.dispatches[0].samples_ns[i] : e->report.repeats[i].wait_ns);
  return {};
}

void KernelRunner::compare(const Ready& first, const Ready& other, VariantTimes& times) const {
  for (size_t b = 0; b < first.written.size() && b < other.written.size(); ++b) {
    const Bytes &x = first.written[b], &y = other.written[b];
    if (x == y || x.size() != y.size()) continue;
    const DType dtype = buffer(b).dtype;
    const auto size = static_cast<size_t>(itemsize(dtype));
    for (size_t i = 0; i + size <= x.size(); i += size) {
      if (std::memcmp(x.data() + i, y.data() + i, size) == 0) continue;
      ++times.differing;
      const double d = std::abs(load_element(dtype, x.data() + i) - load_element(dtype, y.data() + i));
      if (!(d <= times.largest_difference)) times.largest_difference = d;  // NaN is the largest
    }
  }
}

Result<KernelRun> KernelRunner::run(const std::vector<KernelVariant>& variants) {
  KernelRun out;
  out.name = kernel().source.name;
  out.variants.resize(variants.size());
  std::vector<std::optional<Ready>> ready(variants.size());
  for (size_t v = 0; v < variants.size(); ++v) {
    out.variants[v].what = variants[v].what;
    if (!variants[v].sizes.empty()) {
      if (auto r = time_resized(variants[v].sizes, out.variants[v]); !r) out.variants[v].failure = r.error().message;
      if (device_.lost()) return refuse(out.variants[v].failure);
      continue;
    }
    auto made = make(variants[v], out.variants[v]);
    if (made)
      ready[v] = std::move(*made);
    else
      out.variants[v].failure = made.error().message;
  }
  const uint32_t rounds = std::max(1U, std::min(k_rounds, options_.repeats));
  for (uint32_t round = 0; round < rounds; ++round) {
    const uint32_t repeats = (options_.repeats + rounds - 1 - round) / rounds;
    for (size_t v = 0; v < variants.size(); ++v) {
      if (!ready[v]) continue;
      if (auto r = time_once(*ready[v], repeats, out.variants[v]); !r) {
        out.variants[v].failure = r.error().message;
        ready[v].reset();
        if (device_.lost()) return tl::unexpected(r.error());
      }
    }
  }
  for (size_t v = 0; v < variants.size(); ++v) {
    out.variants[v].times = runtime::summarize(out.variants[v].samples_ns);
    if (v > 0 && ready[0] && ready[v]) compare(*ready[0], *ready[v], out.variants[v]);
  }
  if (!options_.values) return out;
  if (ready[0])
    if (auto r = time_once(*ready[0], 0, out.variants[0]); !r) return tl::unexpected(r.error());
  for (size_t b = 0; b < launch_.buffers.size(); ++b) {
    KernelBuffer held;
    held.dtype = buffer(b).dtype;
    held.node = buffer(b).node;
    held.read = access(b) != runtime::Access::write;
    held.written = access(b) != runtime::Access::read;
    auto bytes = download(b);
    if (!bytes) return tl::unexpected(bytes.error());
    held.bytes = std::move(*bytes);
    held.count = held.bytes.size() / static_cast<size_t>(itemsize(held.dtype));
    held.width = width_of(kernel().ast, held.count);
    out.buffers.push_back(std::move(held));
  }
  return out;
}

}  // namespace

Result<KernelRun> run_kernel_alone(runtime::Device& device, const schedule::Schedule& schedule,
                                   const std::vector<KernelVariant>& variants, const KernelRunOptions& options) {
  try {
    KernelRunner runner(device, options);
    if (auto r = runner.prepare(schedule); !r) return tl::unexpected(r.error());
    return runner.run(variants);
  } catch (const GraphError& e) {
    return tl::unexpected(Error{e.message()});
  }
}

}  // namespace rangescope::app
