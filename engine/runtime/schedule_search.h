#pragma once
// A measured choice between schedules of a program: as the scheduler's own settings have it, or with reductions and what
// is mapped over their results in one kernel (PCONTIG).

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/ir/error.h"
#include "engine/ir/program.h"
#include "engine/ir/store.h"
#include "engine/runtime/kernel_search.h"
#include "engine/schedule/create_schedule.h"

namespace rangescope::runtime {

struct OwnSchedule {
  std::unique_ptr<Store> store;
  schedule::Schedule schedule;
};

// The schedule in fewer kernels, where `search` finds that its kernels take less time together than those of `usual`,
// which is the program's schedule under its own settings. None: they do not, or the program sets PCONTIG itself. `said`
// is told of both times, in words.
Result<std::optional<OwnSchedule>> faster_schedule(KernelSearch& search, const rangescope::Program& program,
                                                   const schedule::Schedule& usual,
                                                   const std::function<void(const std::string& line)>& said);

}  // namespace rangescope::runtime
