#pragma once
// A graph of tensors made fit for the scheduler (reference: tensor.py transform_to_call): what is asked for, and what
// is contiguous on the way, gets a buffer that it is stored to; buffers become parameters.

#include <utility>
#include <vector>

#include "engine/ir/uop.h"

namespace rangescope::frontend {

class Context;

struct Called {
  UOp root;                                     // SINK of AFTERs on parameters; null sources: nothing to compute
  UOps arguments;                               // what parameter 0, 1, ... stands for: a buffer, or a bound variable
  std::vector<std::pair<UOp, UOp>> now_stored;  // nodes and the (views of) buffers that hold their values afterwards
};

Called callify(Context& context, const UOps& roots);

}  // namespace rangescope::frontend
