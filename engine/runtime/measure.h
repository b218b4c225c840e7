#pragma once
// What a device can do at most: the roof that kernels are held against.

#include <cstdint>

#include "engine/runtime/device.h"
#include "engine/runtime/report.h"

namespace rangescope::runtime {

struct Measured {
  uint64_t amount = 0;  // bytes or operations of one repeat
  Statistics times;
  // Billions a second, of the fastest repeat: a roof, not a habit.
  double rate() const {
    return times.min_ns == 0 ? 0 : static_cast<double>(amount) / static_cast<double>(times.min_ns);
  }
};

struct DeviceRates {
  Measured copy;          // bytes read and written, 16 at a time
  Measured multiply_add;  // float32, an addition and a multiplication each, all from registers
};

// Takes about a second on a software device, less on others.
Result<DeviceRates> measure_device(Device& device);

}  // namespace rangescope::runtime
