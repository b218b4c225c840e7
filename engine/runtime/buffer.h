#pragma once

#include <cstddef>
#include <string_view>

#include "engine/runtime/memory.h"

namespace rangescope::runtime {

// A storage buffer that kernels and copies can read and write. Its memory belongs to the arena.
class Buffer {
 public:
  // Refuses what is larger than a kernel can see (maxStorageBufferRange). `name` is for messages. Zero bytes are
  // allowed. The buffer is rounded up to 16 bytes, so that a vector access at its end stays inside.
  static Result<Buffer> create(Device& device, MemoryArena& arena, VkDeviceSize bytes, std::string_view name);

  VkBuffer handle() const { return buffer_.get(); }
  VkDeviceSize bytes() const { return bytes_; }  // as asked for
  VkDeviceSize allocated_bytes() const { return allocated_bytes_; }
  std::byte* mapped() const { return mapped_; }  // null where the host cannot see it

 private:
  BufferHandle buffer_;
  VkDeviceSize bytes_ = 0;
  VkDeviceSize allocated_bytes_ = 0;
  std::byte* mapped_ = nullptr;
};

}  // namespace rangescope::runtime
