#pragma once

#include <cstddef>
#include <vector>

#include "engine/runtime/handle.h"

namespace rangescope::runtime {

enum class MemoryUse {
  device,    // what kernels work on; mapped as well where Device::maps_buffers()
  upload,    // staging written by the host
  download,  // staging read by the host
};

// A place in device memory. `mapped` is null where the host cannot see it.
struct MemorySlice {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
  std::byte* mapped = nullptr;
};

// Device memory that is given out piece by piece and freed all at once: drivers allow few allocations (4096 is common)
// and an executor's buffers live and die together.
class MemoryArena {
 public:
  // `expected_bytes`: what will be asked for in all; blocks are sized after it.
  MemoryArena(Device& device, MemoryUse use, VkDeviceSize expected_bytes);

  Result<MemorySlice> allocate(const VkMemoryRequirements& needs);

 private:
  struct Block {
    MemoryHandle memory;
    uint32_t type = 0;
    VkDeviceSize size = 0;
    VkDeviceSize used = 0;
    std::byte* mapped = nullptr;
  };

  Result<uint32_t> choose_type(uint32_t allowed) const;
  Result<void> add_block(uint32_t type, VkDeviceSize bytes);
  // What is still free in the heap of a memory type: drivers that overcommit would rather kill the program than refuse.
  VkDeviceSize available_bytes(uint32_t type) const;

  Device* device_;
  MemoryUse use_;
  VkDeviceSize expected_bytes_;
  std::vector<Block> blocks_;
};

}  // namespace rangescope::runtime
