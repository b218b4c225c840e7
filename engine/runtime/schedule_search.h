#pragma once
// A measured choice between schedules of a program: as the scheduler's own settings have it, or with reductions and
// what is mapped over their results in one kernel (PCONTIG).

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

// The schedule in fewer kernels, where that takes less time than `usual`, which is the program's schedule under its own
// settings; both with the optimisations that `search` finds for their kernels, run in turns. The times are kept where
// it keeps what it finds. None: it takes no less, or the program sets PCONTIG itself. `said` is told of both times, in
// words.
Result<std::optional<OwnSchedule>> faster_schedule(KernelSearch& search, const rangescope::Program& program,
                                                   const schedule::Schedule& usual,
                                                   const std::function<void(const std::string& line)>& said);

}  // namespace rangescope::runtime
