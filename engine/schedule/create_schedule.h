#pragma once
// The kernel graph in execution order (reference: schedule/__init__.py, create_schedule).

#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/uop.h"

namespace rangescope::schedule {

// One step: a SINK with kernel info, a COPY, or a LINEAR (a precompiled call), and the buffers it is called on (PARAM,
// BUFFER, MSELECT or MSTACK).
struct ScheduledCall {
  UOp ast;
  UOps buffers;
};

struct Schedule {
  UOp linear;  // the LINEAR of the calls
  std::vector<ScheduledCall> calls;
};

Result<Schedule> create_schedule(UOp kernel_graph);

}  // namespace rangescope::schedule
