#include "engine/runtime/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/runtime/vk_result.h"
#include "engine/runtime/vk_struct.h"

namespace rangescope::runtime {
namespace {

constexpr VkDeviceSize k_smallest_block = VkDeviceSize{1} << 20;
constexpr VkDeviceSize k_largest_block = VkDeviceSize{256} << 20;

constexpr VkMemoryPropertyFlags k_local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags k_mapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags k_cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

// Property sets from the best to the one that will do.
std::vector<VkMemoryPropertyFlags> wishes(MemoryUse use, bool maps_buffers) {
  switch (use) {
    case MemoryUse::upload:
      return {k_mapped};
    case MemoryUse::download:
      return {k_mapped | k_cached, k_mapped};
    case MemoryUse::device:
      break;
  }
  if (maps_buffers) return {k_local | k_mapped | k_cached, k_local | k_mapped, k_mapped, k_local, 0};
  return {k_local, 0};
}

VkDeviceSize round_up(VkDeviceSize value, VkDeviceSize alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

double mebibytes(VkDeviceSize bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

}  // namespace

MemoryArena::MemoryArena(Device& device, MemoryUse use, VkDeviceSize expected_bytes)
    : device_(&device), use_(use), expected_bytes_(expected_bytes) {}

Result<MemorySlice> MemoryArena::allocate(const VkMemoryRequirements& needs) {
  const auto type = choose_type(needs.memoryTypeBits);
  if (!type) return tl::unexpected(type.error());
  const auto fits = [&](const Block& block) {
    return block.type == *type && round_up(block.used, needs.alignment) + needs.size <= block.size;
  };
  // Only the last block has room worth looking at; the others were left because something did not fit.
  if (blocks_.empty() || !fits(blocks_.back())) {
    if (auto added = add_block(*type, needs.size); !added) return tl::unexpected(std::move(added.error()));
  }
  Block& block = blocks_.back();
  const VkDeviceSize offset = round_up(block.used, needs.alignment);
  block.used = offset + needs.size;
  expected_bytes_ -= std::min(expected_bytes_, needs.size);
  return MemorySlice{block.memory.get(), offset, block.mapped ? block.mapped + offset : nullptr};
}

Result<uint32_t> MemoryArena::choose_type(uint32_t allowed) const {
  const VkPhysicalDeviceMemoryProperties& memory = device_->memory();
  for (const VkMemoryPropertyFlags wish : wishes(use_, device_->maps_buffers()))
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
      if ((allowed >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & wish) == wish) return i;
  return tl::unexpected(Error{
      fmt::format("the Vulkan device \"{}\" has no memory that suits buffers of this kind", device_->info().name)});
}

VkDeviceSize MemoryArena::available_bytes(uint32_t type) const {
  const uint32_t heap = device_->memory().memoryTypes[type].heapIndex;
  if (!device_->info().memory_budget) return device_->memory().memoryHeaps[heap].size;
  auto budget = vk_struct<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
  auto memory = vk_struct<VkPhysicalDeviceMemoryProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2);
  memory.pNext = &budget;
  vkGetPhysicalDeviceMemoryProperties2(device_->info().handle, &memory);
  return budget.heapBudget[heap] - std::min(budget.heapBudget[heap], budget.heapUsage[heap]);
}

Result<void> MemoryArena::add_block(uint32_t type, VkDeviceSize bytes) {
  const VkDeviceSize wanted = std::clamp(expected_bytes_, k_smallest_block, k_largest_block);
  const VkDeviceSize size = std::max(bytes, std::min(wanted, device_->info().limits.max_allocation_bytes));
  VkDeviceSize ours = 0;
  for (const Block& block : blocks_) ours += block.size;
  const VkDeviceSize free = available_bytes(type);
  // Without a budget the heap's whole size is the bound, and our own blocks count against it.
  const VkDeviceSize used = device_->info().memory_budget ? 0 : ours;
  if (size > free || used > free - size)
    return tl::unexpected(Error{fmt::format(
        "the program needs {:.1f} MiB of memory on the Vulkan device \"{}\", which has {:.1f} MiB free; use a smaller "
        "program or another device",
        mebibytes(ours + std::max(expected_bytes_, bytes)), device_->info().name, mebibytes(free))});

  auto info = vk_struct<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.allocationSize = size;
  info.memoryTypeIndex = type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  if (VkResult result = vkAllocateMemory(device_->handle(), &info, nullptr, &memory); result != VK_SUCCESS)
    return device_->fail(result, fmt::format("allocate {:.1f} MiB of device memory", mebibytes(size)));
  Block block{MemoryHandle(*device_, memory), type, size, 0, nullptr};
  const bool wants_map = use_ != MemoryUse::device || device_->maps_buffers();
  if (wants_map && (device_->memory().memoryTypes[type].propertyFlags & k_mapped) == k_mapped) {
    void* mapped = nullptr;
    if (VkResult result = vkMapMemory(device_->handle(), memory, 0, VK_WHOLE_SIZE, 0, &mapped); result != VK_SUCCESS)
      return device_->fail(result, "map device memory");
    block.mapped = static_cast<std::byte*>(mapped);
  }
  blocks_.push_back(std::move(block));
  return {};
}

}  // namespace rangescope::runtime
