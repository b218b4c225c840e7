#include "engine/runtime/schedule_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/runtime/numbers.h"
#include "engine/runtime/program.h"
#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::runtime {

namespace {

// PCONTIG that keeps a reduction in the kernel of what reads it, along the axes that both have.
constexpr int64_t k_partial = 2;
// Runs of each schedule.
constexpr int k_turns = 7;

size_t kernels_of(const schedule::Schedule& schedule) {
  return static_cast<size_t>(
      std::ranges::count_if(schedule.calls, [](const schedule::ScheduledCall& c) { return c.ast.is(Op::SINK); }));
}

Result<OwnSchedule> in_fewer_kernels(const rangescope::Program& program) {
  rangescope::Program input;
  input.name = program.name;
  input.flags = program.flags;
  input.flags.emplace_back("PCONTIG", k_partial);
  input.root = program.root;
  OwnSchedule own{symbolic::make_store(), {}};
  const auto read = read_program(to_json(input), *own.store, ReadWhat::Input);
  if (!read) return tl::unexpected(read.error());
  auto made = schedule::scheduled(*read);
  if (!made) return tl::unexpected(std::move(made.error()));
  own.schedule = std::move(*made);
  return own;
}

// A schedule on the device, to be run again and again.
struct Contender {
  Program program;
  Executor executor;
  uint64_t ns = std::numeric_limits<uint64_t>::max();
};

// None: some kernel leaves the search nothing to choose, such as one that stages values in shared memory.
Result<std::optional<Contender>> contender(KernelSearch& search, const schedule::Schedule& schedule) {
  ProgramOptions options = search.program_options();
  bool all_searched = true;
  options.choose_opts = [&](UOp ast) -> Result<std::optional<std::vector<OptArg>>> {
    auto found = search.best(ast);
    if (!found) return tl::unexpected(std::move(found.error()));
    all_searched = all_searched && *found;
    return *found ? std::optional((*found)->found.opts) : std::nullopt;
  };
  auto program = build_program(schedule, options);
  if (!program) return tl::unexpected(std::move(program.error()));
  if (!all_searched) return std::nullopt;
  auto executor = load_program(search.device(), *program, {.cache_folder = {}});
  if (!executor) return tl::unexpected(std::move(executor.error()));
  Contender c{std::move(*program), std::move(*executor)};
  for (uint32_t i = 0; i < c.program.buffers.size(); ++i) {
    const ProgramBuffer& b = c.program.buffers[i];
    if (!b.is_parameter()) continue;
    const auto count = static_cast<size_t>(b.bytes) / static_cast<size_t>(itemsize(b.dtype));
    if (auto filled = c.executor.upload(i, corpus_fill(b.slot(), b.dtype, count)); !filled)
      return tl::unexpected(std::move(filled.error()));
  }
  return std::optional(std::move(c));
}

Result<void> run_once(Contender& c) {
  const auto report = c.executor.run(c.program.dispatches, {.repeat = 1});
  if (!report) return tl::unexpected(report.error());
  uint64_t ns = report->timed ? 0 : report->repeats.at(0).wait_ns;
  for (const DispatchReport& d : report->dispatches)
    if (report->timed) ns += d.samples_ns.at(0);
  c.ns = std::min(c.ns, ns);
  return {};
}

struct Times {
  uint64_t usual = 0, other = 0;
};

// In turns, so that what else the machine does falls on both. None: they cannot be compared.
Result<std::optional<Times>> measured(KernelSearch& search, const schedule::Schedule& usual,
                                      const schedule::Schedule& other) {
  auto theirs = contender(search, other);
  if (!theirs || !*theirs) return std::nullopt;  // what has no code stays as it is
  auto ours = contender(search, usual);
  if (!ours) return tl::unexpected(std::move(ours.error()));
  if (!*ours) return std::nullopt;
  for (int turn = 0; turn < k_turns; ++turn)
    for (Contender* c : {&**ours, &**theirs})
      if (auto ran = run_once(*c); !ran) return tl::unexpected(std::move(ran.error()));
  search.keep_time(usual, (*ours)->ns);
  search.keep_time(other, (*theirs)->ns);
  return Times{(*ours)->ns, (*theirs)->ns};
}

}  // namespace

Result<std::optional<OwnSchedule>> faster_schedule(KernelSearch& search, const rangescope::Program& program,
                                                   const schedule::Schedule& usual,
                                                   const std::function<void(const std::string& line)>& said) {
  const bool chosen = std::ranges::any_of(program.flags, [](const auto& flag) { return flag.first == "PCONTIG"; });
  if (chosen || kernels_of(usual) < 2) return std::nullopt;
  auto other = in_fewer_kernels(program);
  // what cannot be scheduled so stays as it is
  if (!other || kernels_of(other->schedule) >= kernels_of(usual)) return std::nullopt;
  std::optional<Times> times;
  const auto known = search.known_time(usual), known_other = search.known_time(other->schedule);
  if (known && known_other) {
    times = Times{*known, *known_other};
  } else {
    auto found = measured(search, usual, other->schedule);
    if (!found) return tl::unexpected(std::move(found.error()));
    times = *found;
  }
  if (!times) return std::nullopt;
  said(fmt::format("{} kernels: {:.3f} ms, in {}: {:.3f} ms", kernels_of(usual),
                   static_cast<double>(times->usual) / 1e6, kernels_of(other->schedule),
                   static_cast<double>(times->other) / 1e6));
  if (times->other >= times->usual) return std::nullopt;
  return std::optional(std::move(*other));
}

}  // namespace rangescope::runtime
