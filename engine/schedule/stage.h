#pragma once

#include "engine/ir/arg.h"

namespace rangescope::schedule {

// A device as the argument of STAGE has it: no device is nothing, not a device without names.
inline decltype(StageArg::device) stage_device(const Device& device) {
  if (device.is_none()) return std::monostate{};
  return device;
}

// What is computed where it is said to be computed, whatever it costs.
inline constexpr OpSet kAlwaysRun{Op::CONTIGUOUS, Op::NOOP};

}  // namespace rangescope::schedule
