#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

#include "engine/runtime/buffer.h"
#include "engine/runtime/commands.h"

namespace rangescope::runtime {

// Bytes between the host and buffers: directly where the host sees them, else through a staging buffer in pieces.
class Transfer {
 public:
  explicit Transfer(Device& device) : device_(&device) {}

  // Both start at the buffer's first byte and must fit in it.
  Result<void> upload(Commander& commander, const Buffer& to, std::span<const std::byte> bytes,
                      std::chrono::nanoseconds timeout);
  Result<void> download(Commander& commander, const Buffer& from, std::span<std::byte> bytes,
                        std::chrono::nanoseconds timeout);

 private:
  // Made when first needed; programs on shared memory never need one.
  struct Staging {
    MemoryArena arena;
    Buffer buffer;
  };
  Result<Buffer*> staging(std::optional<Staging>& slot, MemoryUse use);

  Device* device_;
  std::optional<Staging> up_;
  std::optional<Staging> down_;
};

}  // namespace rangescope::runtime
