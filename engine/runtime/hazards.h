#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/runtime/launch.h"

namespace rangescope::runtime {

struct BufferUse {
  uint32_t buffer = 0;
  Access access = Access::read_write;
};

// Says where a row of dispatches needs a barrier: before one that reads what was written since the last barrier, or
// writes what was read or written since. Buffers are taken whole.
class HazardTracker {
 public:
  explicit HazardTracker(size_t buffer_count) : states_(buffer_count) {}

  // Takes the next dispatch; true when a barrier must stand before it.
  bool add(std::span<const BufferUse> uses);
  // A barrier was recorded for another reason.
  void barrier() { ++epoch_; }

 private:
  // The last barrier interval in which the buffer was read or written; intervals count from 1.
  struct State {
    uint64_t read = 0;
    uint64_t written = 0;
  };

  std::vector<State> states_;
  uint64_t epoch_ = 1;
};

}  // namespace rangescope::runtime
