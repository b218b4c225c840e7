#include "engine/runtime/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "engine/ir/store.h"
#include "engine/rewrite/observer.h"
#include "engine/schedule/pipeline.h"

namespace rangescope::runtime {
namespace {

class Builder {
 public:
  explicit Builder(const ProgramOptions& options) : options_(options) {}

  Result<Program> build(const schedule::Schedule& schedule);

 private:
  // A call that is still to be added; `args` are already the program's own buffers, not a body's parameters.
  struct Pending {
    UOp ast;
    UOps args;
  };

  Result<void> add_call(const UOp& ast, const UOps& args, std::vector<Pending>& pending);
  Result<void> add_body(UOp body, const UOps& args, std::vector<Pending>& pending);
  Result<void> add_kernel_call(UOp ast, const UOps& args);
  Result<void> launch_kernel(uint32_t kernel, const UOps& args, size_t device);
  Result<void> add_copy(const UOps& args);
  Result<void> copy(UOp dest, UOp source, size_t device);
  Result<uint32_t> kernel_of(UOp ast);
  Result<BufferRange> range_of(UOp arg, size_t device);
  Result<uint32_t> buffer_of(UOp node, size_t device);
  void set_access();

  const ProgramOptions& options_;
  Program program_;
  size_t call_ = 0;
  // Looked up, never iterated.
  std::unordered_map<uint32_t, uint32_t> kernels_;
  std::unordered_map<uint32_t, uint32_t> buffers_;
};

// A parameter of a LINEAR's body stands for an argument of its call; a part of one for that part of the argument.
UOp resolve_one(UOp arg, const UOps& outer) {
  UOps parts;
  UOp at = arg;
  for (; at.in({Op::SHRINK, Op::BITCAST, Op::MSELECT}); at = at.src(0)) parts.push_back(at);
  if (!at.is(Op::PARAM)) return arg;
  const int64_t slot = at.arg().as<ParamArg>().slot;
  if (slot < 0 || static_cast<size_t>(slot) >= outer.size())
    throw GraphError(fmt::format("a precompiled call has no argument {}, only {}", slot, outer.size()));
  at = outer[static_cast<size_t>(slot)];
  for (; !parts.empty(); parts.pop_back()) {
    UOps srcs(parts.back().srcs().begin(), parts.back().srcs().end());
    srcs[0] = at;
    at = parts.back().with_srcs(srcs);
  }
  return at;
}

UOp resolve(UOp arg, const UOps& outer) {
  if (!arg.is(Op::MSTACK)) return resolve_one(arg, outer);
  UOps each;
  for (const UOp u : arg.srcs()) each.push_back(resolve_one(u, outer));
  return arg.with_srcs(each);
}

size_t devices_of(UOp node) {
  return node.device().is_tuple ? node.device().names.size() : 1;
}

// The devices that an argument is on: a call is made for each. Its arguments are all on as many.
Result<size_t> devices_of(const UOps& args) {
  std::optional<size_t> all;
  for (UOp at : args) {
    while (at.in({Op::SHRINK, Op::BITCAST})) at = at.src(0);
    const size_t n = at.is(Op::MSTACK) ? at.src_count() : at.is(Op::MSELECT) ? 1 : devices_of(at);
    if (all && *all != n) return refuse(fmt::format("its arguments are on {} and on {} devices", *all, n));
    all = n;
  }
  return all.value_or(1);
}

Work work_of(const ProgramKernel& kernel, const std::vector<int64_t>& values) {
  if (!kernel.estimate) return {};
  const auto bound = [&](const Dim& d) -> std::optional<int64_t> {
    const auto n = codegen::size_for(d, kernel.program.vars, values);
    return n ? std::optional(*n) : std::nullopt;
  };
  return {bound(kernel.estimate->ops), bound(kernel.estimate->bytes), bound(kernel.estimate->access_bytes)};
}

Result<Program> Builder::build(const schedule::Schedule& schedule) {
  for (call_ = 0; call_ < schedule.calls.size(); ++call_) {
    std::vector<Pending> pending = {{schedule.calls[call_].ast, schedule.calls[call_].buffers}};
    while (!pending.empty()) {
      const Pending next = std::move(pending.back());
      pending.pop_back();
      if (auto added = add_call(next.ast, next.args, pending); !added)
        return refuse(fmt::format("call {} of the schedule: {}", call_, added.error().message));
    }
  }
  set_access();
  return std::move(program_);
}

Result<void> Builder::add_call(const UOp& ast, const UOps& args, std::vector<Pending>& pending) {
  if (ast.is(Op::SINK) && !ast.arg().is<KernelInfo>()) return add_body(ast, args, pending);
  if (ast.is(Op::SINK)) return add_kernel_call(ast, args);
  if (ast.is(Op::COPY)) return add_copy(args);
  if (!ast.is(Op::LINEAR)) return refuse(fmt::format("{} cannot be run", op_name(ast.op())));
  // A stack: the calls inside go on in reverse, so that they come off in order.
  for (size_t i = ast.src_count(); i-- > 0;) {
    const UOp call = ast.src(i);
    if (!call.is(Op::CALL)) return refuse(fmt::format("{} in a LINEAR cannot be run", op_name(call.op())));
    Pending inner{call.src(0), {}};
    for (const UOp arg : call.srcs().subspan(1)) inner.args.push_back(resolve(arg, args));
    pending.push_back(std::move(inner));
  }
  return {};
}

// A body that is a program of its own, as that of an allreduce: it is scheduled when it is called.
Result<void> Builder::add_body(UOp body, const UOps& args, std::vector<Pending>& pending) {
  const Untracked unseen(body.store());  // in a recording it belongs to no section
  const auto graph = schedule::get_kernel_graph(body);
  if (!graph) return tl::unexpected(graph.error());
  auto inner = schedule::create_schedule(*graph);
  if (!inner) return tl::unexpected(std::move(inner.error()));
  for (size_t i = inner->calls.size(); i-- > 0;) {
    Pending call{inner->calls[i].ast, {}};
    for (const UOp arg : inner->calls[i].buffers) call.args.push_back(resolve(arg, args));
    pending.push_back(std::move(call));
  }
  return {};
}

Result<void> Builder::add_kernel_call(UOp ast, const UOps& args) {
  const auto kernel = kernel_of(ast);
  if (!kernel) return tl::unexpected(kernel.error());
  const auto devices = devices_of(args);
  if (!devices) return tl::unexpected(devices.error());
  for (size_t d = 0; d < *devices; ++d)
    if (auto r = launch_kernel(*kernel, args, d); !r) return r;
  return {};
}

Result<void> Builder::launch_kernel(uint32_t kernel, const UOps& args, size_t device) {
  const codegen::KernelProgram& generated = program_.kernels[kernel].program;
  KernelDispatch dispatch{.kernel = kernel};
  for (const int64_t slot : generated.globals) {
    if (slot < 0 || static_cast<size_t>(slot) >= args.size())
      return refuse(fmt::format("the kernel uses buffer {}, but is called on {}", slot, args.size()));
    auto range = range_of(args[static_cast<size_t>(slot)], device);
    if (!range) return tl::unexpected(std::move(range.error()));
    dispatch.buffers.push_back(*range);
  }
  Variables variables = options_.variables;
  variables["_device_num"] = static_cast<int64_t>(device);  // what a range over devices becomes
  auto launch = launch_of(generated, variables);
  if (!launch) return tl::unexpected(std::move(launch.error()));
  dispatch.global_size = launch->global_size;
  dispatch.values = std::move(launch->constants);
  program_.dispatches.emplace_back(std::move(dispatch));
  program_.calls.push_back(call_);
  program_.devices.push_back(static_cast<uint32_t>(device));
  program_.work.push_back(work_of(program_.kernels[kernel], launch->values));
  return {};
}

Result<void> Builder::add_copy(const UOps& args) {
  if (args.size() != 2) return refuse(fmt::format("a COPY is called on 2 buffers, not {}", args.size()));
  const auto devices = devices_of(args);
  if (!devices) return tl::unexpected(devices.error());
  for (size_t d = 0; d < *devices; ++d)
    if (auto r = copy(args[0], args[1], d); !r) return r;
  return {};
}

Result<void> Builder::copy(UOp dest, UOp source, size_t device) {
  auto to = range_of(dest, device);
  if (!to) return tl::unexpected(std::move(to.error()));
  auto from = range_of(source, device);
  if (!from) return tl::unexpected(std::move(from.error()));
  program_.dispatches.emplace_back(CopyDispatch{*from, *to});
  program_.calls.push_back(call_);
  program_.devices.push_back(static_cast<uint32_t>(device));
  const uint64_t bytes =
      from->bytes == BufferRange::k_rest ? program_.buffers[from->buffer].bytes - from->offset : from->bytes;
  const auto moved = static_cast<int64_t>(2 * bytes);
  program_.work.push_back({0, moved, moved});
  return {};
}

Result<uint32_t> Builder::kernel_of(UOp ast) {
  const auto [known, fresh] = kernels_.try_emplace(ast.id(), static_cast<uint32_t>(program_.kernels.size()));
  if (!fresh) return known->second;
  UOp chosen = ast;
  if (options_.choose_opts) {
    auto opts = options_.choose_opts(ast);
    if (!opts) return tl::unexpected(std::move(opts.error()));
    if (*opts) chosen = codegen::with_opts(ast, std::move(**opts));
  }
  if (options_.before_kernel) options_.before_kernel(chosen);
  auto kernel = generate_kernel(chosen, options_);
  if (!kernel) return tl::unexpected(std::move(kernel.error()));
  kernel->ast = ast;
  program_.kernels.push_back(std::move(*kernel));
  return known->second;
}

// One device's buffer, or the part of an arena that the memory plan gave it.
Result<BufferRange> Builder::range_of(UOp arg, size_t device) {
  UOp at = arg;
  uint64_t offset = 0;
  uint64_t size = BufferRange::k_rest;
  for (bool found = false; !found;) {
    if (at.is(Op::BITCAST)) {
      at = at.src(0);
    } else if (at.is(Op::MSELECT)) {
      device = static_cast<size_t>(at.arg().as_int64());
      at = at.src(0);
    } else if (at.is(Op::MSTACK)) {
      at = at.src(device);
      device = 0;
    } else if (at.is(Op::SHRINK)) {
      const auto part = at.marg_pairs();
      if (part.size() != 1 || !part[0].first.is_int() || !part[0].second.is_int())
        return refuse("a part of a buffer must be one stretch of constant place and size");
      const auto bytes = static_cast<uint64_t>(itemsize(at.dtype()));
      offset += static_cast<uint64_t>(part[0].first.value) * bytes;
      if (size == BufferRange::k_rest) size = static_cast<uint64_t>(part[0].second.value) * bytes;
      at = at.src(0);
    } else {
      found = true;
    }
  }
  const auto buffer = buffer_of(at, device);
  if (!buffer) return tl::unexpected(buffer.error());
  return BufferRange(*buffer, offset, size);
}

Result<uint32_t> Builder::buffer_of(UOp node, size_t device) {
  if (!node.in({Op::PARAM, Op::BUFFER}))
    return refuse(fmt::format("its argument is {}, not a buffer", op_name(node.op())));
  const size_t devices = devices_of(node);
  if (device >= devices) return refuse(fmt::format("a buffer is on {} devices, and not on number {}", devices, device));
  const auto [known, fresh] = buffers_.try_emplace(node.id(), static_cast<uint32_t>(program_.buffers.size()));
  if (fresh) {
    auto bytes = static_cast<uint64_t>(node.max_numel()) * static_cast<uint64_t>(itemsize(node.dtype()));
    if (devices > 1 && node.arg().as<ParamArg>().axis) bytes /= devices;  // it stands for all of its shards
    for (size_t d = 0; d < devices; ++d)
      program_.buffers.push_back(
          {node, node.dtype(), bytes, false, static_cast<uint32_t>(d), static_cast<uint32_t>(devices)});
  }
  return known->second + static_cast<uint32_t>(device);
}

// A caller's buffer may be overwritten in part, and the rest must be there again in the next pass (see Executor): a
// kernel that only stores to one is said to read it too.
void Builder::set_access() {
  for (const Dispatch& dispatch : program_.dispatches) {
    if (const auto* copy = std::get_if<CopyDispatch>(&dispatch)) {
      program_.buffers[copy->to.buffer].written = true;
      continue;
    }
    const auto& launch = std::get<KernelDispatch>(dispatch);
    std::vector<Access>& access = program_.kernels[launch.kernel].source.access;
    for (size_t i = 0; i < access.size(); ++i) {
      ProgramBuffer& buffer = program_.buffers[launch.buffers[i].buffer];
      buffer.written = buffer.written || access[i] != Access::read;
      if (access[i] == Access::write && buffer.is_parameter()) access[i] = Access::read_write;
    }
  }
}

}  // namespace

Result<Program> build_program(const schedule::Schedule& schedule, const ProgramOptions& options) {
  try {
    return Builder(options).build(schedule);
  } catch (const GraphError& error) {
    return tl::unexpected(Error{error.message()});
  }
}

std::map<int64_t, std::vector<std::byte>> contents_by_slot(const Program& program,
                                                           const std::vector<std::vector<std::byte>>& each) {
  std::map<int64_t, std::vector<std::byte>> out;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const ProgramBuffer& b = program.buffers[i];
    if (!b.is_parameter() || each[i].empty()) continue;
    std::vector<std::byte>& whole = out[b.slot()];
    whole.resize(b.bytes_of_all());
    std::ranges::copy(each[i], whole.begin() + static_cast<std::ptrdiff_t>(b.offset()));
  }
  return out;
}

Result<Executor> load_program(Device& device, const Program& program, const ExecutorOptions& options) {
  std::vector<KernelSource> kernels;
  kernels.reserve(program.kernels.size());
  for (const ProgramKernel& kernel : program.kernels) kernels.push_back(kernel.source);
  std::vector<BufferDesc> buffers;
  buffers.reserve(program.buffers.size());
  for (const ProgramBuffer& buffer : program.buffers) buffers.push_back({buffer.bytes});
  return Executor::create(device, std::move(kernels), buffers, options);
}

}  // namespace rangescope::runtime
