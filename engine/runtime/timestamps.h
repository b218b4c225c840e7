#pragma once

#include <cstdint>
#include <vector>

#include "engine/runtime/handle.h"

namespace rangescope::runtime {

// How ticks become time: only `valid_bits` of a tick count, so the counter wraps, and a tick lasts `period_ns`, a
// fraction on many devices.
struct TimestampClock {
  uint32_t valid_bits = 0;
  double period_ns = 0;

  bool can_time() const { return valid_bits != 0 && period_ns > 0; }
  // From one tick to a later one, over at most one wrap.
  uint64_t elapsed_ns(uint64_t begin, uint64_t end) const;
};

TimestampClock timestamp_clock(const DeviceInfo& info);

// A row of timestamps written by the device.
class TimestampQueries {
 public:
  static Result<TimestampQueries> create(Device& device, uint32_t count);

  void reset(VkCommandBuffer commands) const;
  // Written when all commands before it have finished.
  void write(VkCommandBuffer commands, uint32_t index) const;
  // Raw ticks, after the commands that write them have finished.
  Result<std::vector<uint64_t>> read() const;

 private:
  Device* device_ = nullptr;
  QueryPoolHandle pool_;
  uint32_t count_ = 0;
};

}  // namespace rangescope::runtime
