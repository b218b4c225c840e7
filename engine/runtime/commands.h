#pragma once

#include <chrono>

#include "engine/runtime/handle.h"
#include "engine/runtime/report.h"

namespace rangescope::runtime {

// A command buffer of a Commander; freed with it, and recorded again at will.
using CommandBuffer = VkCommandBuffer;

// Everything before it is finished and visible to everything after it, kernels and copies alike. (One global barrier:
// on real drivers it costs the same as one per buffer.)
void record_barrier(CommandBuffer commands);
// What was written is visible to the host once the commands have finished.
void record_host_barrier(CommandBuffer commands);

// Records and sends commands, one batch at a time, and waits for each.
class Commander {
 public:
  static Result<Commander> create(Device& device);

  Result<CommandBuffer> allocate();
  Result<void> begin(CommandBuffer commands);
  // Ends the recording.
  Result<void> end(CommandBuffer commands);
  // Sends the commands and waits until they are done. When that takes longer than `timeout`, the device is abandoned
  // (there is no way to stop it) and the error says so.
  Result<PassTimes> submit(CommandBuffer commands, std::chrono::nanoseconds timeout);

  // Records `record(commands)` and submits it.
  template <typename Record>
  Result<PassTimes> run(std::chrono::nanoseconds timeout, Record&& record) {
    if (auto begun = begin(scratch_); !begun) return tl::unexpected(std::move(begun.error()));
    record(scratch_);
    if (auto ended = end(scratch_); !ended) return tl::unexpected(std::move(ended.error()));
    return submit(scratch_, timeout);
  }

 private:
  Device* device_ = nullptr;
  CommandPoolHandle pool_;
  FenceHandle fence_;
  CommandBuffer scratch_ = VK_NULL_HANDLE;
};

}  // namespace rangescope::runtime
