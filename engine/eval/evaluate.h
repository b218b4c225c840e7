#pragma once
// A plain interpreter of graphs: tensor graphs, the graphs between the passes of the scheduler, kernel graphs, kernels
// and schedules. Slow, bounded and simple, it says what a graph means, so that a rewrite can be held to it. Floats are
// computed in double precision and rounded by CAST and BITCAST alone; integers wrap as their dtype does.
//
// Refused by name, as values: too many elements or too much work, ops that have no value here (code generation's
// loops, barriers, custom code), and what a graph leaves undefined (indices out of range).

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/eval/value.h"
#include "engine/ir/error.h"
#include "engine/ir/program.h"

namespace rangescope::eval {

struct Inputs {
  std::map<std::string, int64_t> variables;  // values by name; one without is in the middle of its bounds
  std::set<int64_t> sharded;  // parameters that hold another part on every device; others on several hold copies
  // What parameters hold at first, by slot: flat, device after device. Others hold the corpus's fill.
  std::map<int64_t, std::shared_ptr<const Array>> contents;
  Limits limits;
  // Floats are rounded to their dtype after every op, a sum after every addend, as a machine that computes in these
  // dtypes would.
  bool round_each = false;
};

// What the graph itself says: values of bound variables, and which parameters are shards.
Inputs inputs_of(UOp graph);

// A parameter's buffer before and after. On several devices: device by device, `count` elements each.
struct BufferResult {
  int64_t slot = 0;
  DType dtype = DType::void_;
  int64_t devices = 0, count = 0;
  std::shared_ptr<const Array> before, after;
  bool changed() const;
  double element(size_t i) const;  // after, as the buffer's dtype holds it
};

struct Outcome {
  std::vector<BufferResult> buffers;  // by slot
  // Of a graph that stores nothing: the value of the root, or those of the sources of a SINK or TUPLE.
  std::vector<Value> values;
  bool stores = false;
  int64_t work = 0;
};

Result<Outcome> evaluate(UOp root, const Inputs& inputs);
// A schedule in its order, on memory that keeps what is written: what a device would do.
Result<Outcome> evaluate_schedule(std::span<const ScheduledKernel> calls, const Inputs& inputs);

}  // namespace rangescope::eval
