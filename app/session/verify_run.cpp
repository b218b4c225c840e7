#include "app/session/verify_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/eval/bytes.h"
#include "engine/eval/machine.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"

namespace rangescope::app {

namespace {

using Bytes = std::vector<std::byte>;

std::span<const std::byte> part(const runtime::BufferRange& range, const Bytes& whole) {
  const uint64_t count =
      range.bytes == runtime::BufferRange::k_rest ? whole.size() - range.offset : std::min(range.bytes, whole.size());
  return std::span(whole).subspan(range.offset, count);
}

// Goes through a program on the device, one dispatch after the other.
class Stepper {
 public:
  Stepper(runtime::Executor executor, const Execution& e, const runtime::Variables& variables,
          const eval::Limits& limits)
      : executor_(std::move(executor)), e_(e), variables_(variables), limits_(limits) {}

  // Fills in what is said of kernels; ends at the first that is wrong.
  Result<void> run(RunVerdict& verdict);

 private:
  struct Argument {
    int64_t slot;
    DType dtype;
    size_t bytes;  // that the parameter has; the buffer may have more
    runtime::BufferRange range;
  };
  std::vector<Argument> arguments(const runtime::KernelDispatch& d) const;
  Result<Bytes> download(uint32_t buffer);
  Result<std::shared_ptr<const eval::Array>> content(const Argument& a);
  UOp ast_of(const runtime::KernelDispatch& d, size_t i) const;
  Result<void> step(size_t i, RunVerdict& verdict);
  Result<void> step_kernel(const runtime::KernelDispatch& d, size_t i, RunVerdict& verdict);
  Result<void> step_copy(const runtime::CopyDispatch& d, size_t i, RunVerdict& verdict);

  runtime::Executor executor_;
  const Execution& e_;
  const runtime::Variables& variables_;
  const eval::Limits& limits_;
};

// The parameters of a kernel that its code has, with the buffers that they are in this dispatch.
std::vector<Stepper::Argument> Stepper::arguments(const runtime::KernelDispatch& d) const {
  const runtime::ProgramKernel& kernel = e_.program.kernels[d.kernel];
  std::vector<Argument> out;
  for (const UOp u : toposort(kernel.ast)) {
    if (!u.is(Op::PARAM) || u.addrspace() == AddrSpace::ALU) continue;
    const int64_t slot = u.arg().as<ParamArg>().slot;
    const auto at = std::ranges::find(kernel.program.globals, slot);
    if (at == kernel.program.globals.end() || std::ranges::find(out, slot, &Argument::slot) != out.end()) continue;
    out.push_back({slot, u.dtype(), static_cast<size_t>(u.max_numel()) * static_cast<size_t>(itemsize(u.dtype())),
                   d.buffers[static_cast<size_t>(at - kernel.program.globals.begin())]});
  }
  return out;
}

// A kernel of several devices as the one of them that dispatch `i` is for executes it.
UOp Stepper::ast_of(const runtime::KernelDispatch& d, size_t i) const {
  const UOp ast = e_.program.kernels[d.kernel].ast;
  const size_t device = e_.program.devices[i];
  std::vector<std::pair<UOp, UOp>> here;
  for (const UOp u : toposort(ast)) {
    const bool is_range = u.is(Op::RANGE) && u.arg().as_tuple().back() == Arg(AxisType::DEVICE);
    if (is_range || (u.is(Op::PARAM) && u.arg().as<ParamArg>().name == "_device_num")) {
      here.emplace_back(u, u.store().constant(Scalar(static_cast<int64_t>(device)), u.dtype()));
    } else if (u.is(Op::PARAM) && u.device().is_tuple && device < u.device().names.size()) {
      ParamArg arg = u.arg().as<ParamArg>();
      arg.device = Device::single(arg.device.names[device]);
      here.emplace_back(u, u.with_arg(Arg(arg)));
    }
  }
  return here.empty() ? ast : substitute(ast, here);
}

Result<Bytes> Stepper::download(uint32_t buffer) {
  Bytes bytes(e_.program.buffers[buffer].bytes);
  if (auto r = executor_.download(buffer, bytes); !r) return tl::unexpected(std::move(r.error()));
  return bytes;
}

Result<std::shared_ptr<const eval::Array>> Stepper::content(const Argument& a) {
  const auto whole = download(a.range.buffer);
  if (!whole) return tl::unexpected(whole.error());
  const auto bytes = part(a.range, *whole);
  return eval::array_of(a.dtype, bytes.first(std::min(a.bytes, bytes.size())));
}

Result<void> Stepper::step_kernel(const runtime::KernelDispatch& d, size_t i, RunVerdict& verdict) {
  const runtime::ProgramKernel& kernel = e_.program.kernels[d.kernel];
  const std::vector<Argument> all = arguments(d);
  eval::Inputs inputs;
  inputs.variables = variables_;
  inputs.limits = limits_;
  for (const Argument& a : all) {
    auto array = content(a);
    if (!array) return tl::unexpected(std::move(array.error()));
    inputs.contents[a.slot] = std::move(*array);
  }
  const runtime::Dispatch one[] = {d};
  if (auto ran = executor_.run(one); !ran) return tl::unexpected(std::move(ran.error()));
  const auto expected = eval::expectation(ast_of(d, i), inputs);
  if (!expected) {
    ++verdict.kernels_unknown;
    return {};
  }
  for (const Argument& a : all) {
    if (std::ranges::find(kernel.program.outs, a.slot) == kernel.program.outs.end()) continue;
    const auto got = content(a);
    if (!got) return tl::unexpected(got.error());
    if (const auto difference = eval::machine_difference(*expected, a.slot, **got)) {
      verdict.dispatch = i;
      verdict.kernel = codegen::plain_name(kernel.program.name);
      verdict.text = difference->text;
      return {};
    }
  }
  ++verdict.kernels_right;
  return {};
}

Result<void> Stepper::step_copy(const runtime::CopyDispatch& d, size_t i, RunVerdict& verdict) {
  const runtime::Dispatch one[] = {d};
  if (auto ran = executor_.run(one); !ran) return tl::unexpected(std::move(ran.error()));
  const auto from = download(d.from.buffer), to = download(d.to.buffer);
  if (!from) return tl::unexpected(from.error());
  if (!to) return tl::unexpected(to.error());
  const auto want = part(d.from, *from), have = part(d.to, *to);
  if (have.size() >= want.size() && std::ranges::equal(want, have.first(want.size()))) {
    ++verdict.kernels_right;
    return {};
  }
  verdict.dispatch = i;
  verdict.kernel = "copy";
  verdict.text = "the copy is not what was copied";
  return {};
}

Result<void> Stepper::step(size_t i, RunVerdict& verdict) {
  const runtime::Dispatch& d = e_.program.dispatches[i];
  if (const auto* copy = std::get_if<runtime::CopyDispatch>(&d)) return step_copy(*copy, i, verdict);
  return step_kernel(std::get<runtime::KernelDispatch>(d), i, verdict);
}

Result<void> Stepper::run(RunVerdict& verdict) {
  for (size_t i = 0; i < e_.program.buffers.size(); ++i)
    if (!e_.before[i].empty())
      if (auto r = executor_.upload(static_cast<uint32_t>(i), e_.before[i]); !r) return r;
  for (size_t i = 0; i < e_.program.dispatches.size() && !verdict.dispatch; ++i)
    if (auto r = step(i, verdict); !r) return r;
  return {};
}

}  // namespace

eval::Limits limits_of_verification() {
  return {.elements = int64_t{1} << 28, .work = 200'000'000'000};
}

Result<RunVerdict> verify_run(runtime::Device& device, UOp root, const Execution& e,
                              const runtime::Variables& variables, const eval::Limits& limits) {
  RunVerdict verdict;
  eval::Inputs inputs = eval::inputs_of(root);
  for (const auto& [name, value] : variables) inputs.variables[name] = value;
  inputs.limits = limits;
  std::map<int64_t, DType> dtypes;
  for (const runtime::ProgramBuffer& b : e.program.buffers)
    if (b.is_parameter()) dtypes[b.slot()] = b.dtype;
  for (const auto& [slot, bytes] : runtime::contents_by_slot(e.program, e.before))
    inputs.contents[slot] = eval::array_of(dtypes.at(slot), bytes);
  const auto expected = eval::expectation(root, inputs);
  std::string differs;
  if (expected)
    for (const auto& [slot, bytes] : runtime::contents_by_slot(e.program, e.after)) {
      const auto got = eval::array_of(dtypes.at(slot), bytes);
      const auto difference = eval::machine_difference(*expected, slot, *got);
      if (difference && differs.empty()) differs = difference->text;
    }
  if (expected && differs.empty()) return verdict;
  auto executor = runtime::load_program(device, e.program);
  if (!executor) return tl::unexpected(std::move(executor.error()));
  if (auto r = Stepper(std::move(*executor), e, variables, limits).run(verdict); !r) return tl::unexpected(r.error());
  if (verdict.dispatch || !differs.empty()) {
    verdict.meaning = RunVerdict::Meaning::Differs;
    if (!verdict.dispatch) verdict.text = differs;
  } else if (verdict.kernels_unknown > 0) {
    verdict.meaning = RunVerdict::Meaning::Unknown;
    verdict.text = expected.error().message;
  }
  return verdict;
}

std::string verdict_text(const RunVerdict& v) {
  switch (v.meaning) {
    case RunVerdict::Meaning::Same:
      return v.kernels_right == 0 ? "the interpreter comes to the same numbers"
                                  : fmt::format(
                                        "each of {} kernels computes what it means (the program as a whole "
                                        "cannot be evaluated)",
                                        v.kernels_right);
    case RunVerdict::Meaning::Differs:
      if (v.dispatch)
        return fmt::format("dispatch {}, kernel \"{}\", is the first that does not compute what it means: {}",
                           *v.dispatch + 1, v.kernel, v.text);
      return fmt::format(
          "{}; {} kernels compute what they mean, {} cannot be evaluated: the schedule changed the meaning, which "
          "`rangescope verify` looks into",
          v.text, v.kernels_right, v.kernels_unknown);
    case RunVerdict::Meaning::Unknown:
      break;
  }
  return fmt::format("not known: {} ({} kernels compute what they mean, {} cannot be evaluated)", v.text,
                     v.kernels_right, v.kernels_unknown);
}

}  // namespace rangescope::app
