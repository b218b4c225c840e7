#include "engine/runtime/schedule_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::runtime {

namespace {

// PCONTIG that keeps a reduction in the kernel of what reads it, along the axes that both have.
constexpr int64_t k_partial = 2;

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

}  // namespace

Result<std::optional<OwnSchedule>> faster_schedule(KernelSearch& search, const rangescope::Program& program,
                                                   const schedule::Schedule& usual,
                                                   const std::function<void(const std::string& line)>& said) {
  const bool chosen = std::ranges::any_of(program.flags, [](const auto& flag) { return flag.first == "PCONTIG"; });
  if (chosen || kernels_of(usual) < 2) return std::nullopt;
  auto other = in_fewer_kernels(program);
  // what cannot be scheduled so stays as it is
  if (!other || kernels_of(other->schedule) >= kernels_of(usual)) return std::nullopt;
  const auto theirs = search.time_of(other->schedule);
  if (!theirs) return tl::unexpected(theirs.error());
  if (!*theirs) return std::nullopt;
  const auto ours = search.time_of(usual);
  if (!ours) return tl::unexpected(ours.error());
  if (!*ours) return std::nullopt;
  said(fmt::format("{} kernels: {:.3f} ms, in {}: {:.3f} ms", kernels_of(usual), static_cast<double>(**ours) / 1e6,
                   kernels_of(other->schedule), static_cast<double>(**theirs) / 1e6));
  if (**theirs >= **ours) return std::nullopt;
  return std::optional(std::move(*other));
}

}  // namespace rangescope::runtime
