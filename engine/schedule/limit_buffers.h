#pragma once
// A kernel that reads more buffers than its device can bind stages some of its operands (reference:
// schedule/rangeify.py, pm_limit_bufs).

#include <cstdint>
#include <deque>
#include <set>

#include "engine/rewrite/rule.h"
#include "engine/schedule/indexing_context.h"

namespace rangescope::schedule {

// Context.
struct LimitBuffers {
  using Buffers = std::vector<uint32_t>;  // ids, sorted
  Facts<const Buffers*> read;             // what a node reads
  std::deque<Buffers> lists;
  int64_t next_range = 0;
};

const RuleSet& pm_limit_bufs();

}  // namespace rangescope::schedule
