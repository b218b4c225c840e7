#pragma once

#include <optional>

#include "engine/runtime/buffer.h"
#include "engine/runtime/commands.h"

namespace rangescope::runtime {

// A number that the device writes as it goes and the host reads at any time, to say where work that never ended is
// stuck. (Asking for timestamps instead would wait for the work on some drivers, lavapipe among them.)
class Progress {
 public:
  static Result<Progress> create(Device& device);

  // `value` is written after what stands before the last barrier.
  void record(CommandBuffer commands, uint32_t value) const;
  uint32_t read() const;

 private:
  std::optional<MemoryArena> arena_;
  std::optional<Buffer> buffer_;
};

}  // namespace rangescope::runtime
