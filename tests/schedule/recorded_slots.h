#pragma once
// The reference numbers buffers that no one named through its whole process. A corpus file leaves programs of that
// process out, so the number that a program started with can only be read off its recording.

#include "engine/ir/call.h"
#include "engine/ir/program.h"

namespace rangescope::schedule {

// Where the numbering stood when `recorded` was scheduled; `otherwise` where it made no such buffer.
inline UniqueSlots recorded_slots(const Program& recorded, UniqueSlots otherwise) {
  if (!recorded.passes) return otherwise;
  for (const PassRecord& pass : *recorded.passes)
    for (const MatchRecord& match : pass.matches) {
      if (match.rule != "schedule/rangeify.py:135" || !match.after) continue;
      UOp u = match.after;
      while (u && !u.is(Op::BUFFER)) u = u.src_count() > 0 ? u.src(0) : UOp{};
      if (u) return {u.arg().as<ParamArg>().slot};
    }
  return otherwise;
}

}  // namespace rangescope::schedule
