#include "engine/schedule/allreduce.h"

#include "engine/ir/error.h"

namespace rangescope::schedule {

UOp create_allreduce_function(UOp, UOp) {
  throw GraphError("ALLREDUCE is not scheduled yet");
}

}  // namespace rangescope::schedule
