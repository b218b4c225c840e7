#include "engine/runtime/buffer.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/runtime/vk_result.h"
#include "engine/runtime/vk_struct.h"

namespace rangescope::runtime {

Result<Buffer> Buffer::create(Device& device, MemoryArena& arena, VkDeviceSize bytes, std::string_view name) {
  constexpr VkDeviceSize k_granule = 16;
  const VkDeviceSize limit = device.info().limits.max_storage_buffer_range;
  if (bytes > limit)
    return tl::unexpected(Error{
        fmt::format("{} has {} bytes, but a kernel on the Vulkan device \"{}\" sees at most {} bytes of one buffer "
                    "(maxStorageBufferRange); use a smaller program or another device",
                    name, bytes, device.info().name, limit)});
  const VkDeviceSize rounded = std::max((bytes + k_granule - 1) / k_granule * k_granule, k_granule);

  auto info = vk_struct<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = rounded;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  VkBuffer handle = VK_NULL_HANDLE;
  if (VkResult result = vkCreateBuffer(device.handle(), &info, nullptr, &handle); result != VK_SUCCESS)
    return device.fail(result, fmt::format("create {} of {} bytes", name, bytes));
  Buffer buffer;
  buffer.buffer_ = BufferHandle(device, handle);
  buffer.bytes_ = bytes;
  buffer.allocated_bytes_ = rounded;

  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device.handle(), handle, &needs);
  const auto slice = arena.allocate(needs);
  if (!slice) return tl::unexpected(Error{fmt::format("no memory for {}: {}", name, slice.error().message)});
  if (VkResult result = vkBindBufferMemory(device.handle(), handle, slice->memory, slice->offset); result != VK_SUCCESS)
    return device.fail(result, fmt::format("give {} its memory", name));
  buffer.mapped_ = slice->mapped;
  return buffer;
}

}  // namespace rangescope::runtime
