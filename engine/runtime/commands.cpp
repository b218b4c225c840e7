#include "engine/runtime/commands.h"

#include <fmt/format.h>

#include "engine/runtime/vk_result.h"
#include "engine/runtime/vk_struct.h"

namespace rangescope::runtime {
namespace {

using Clock = std::chrono::steady_clock;

uint64_t nanoseconds_since(Clock::time_point begin) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
}

void record_memory_barrier(CommandBuffer commands, VkPipelineStageFlags to_stage, VkAccessFlags to_access) {
  constexpr VkPipelineStageFlags k_work = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  auto barrier = vk_struct<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = to_access;
  vkCmdPipelineBarrier(commands, k_work, to_stage, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

}  // namespace

void record_barrier(CommandBuffer commands) {
  record_memory_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                            VK_ACCESS_TRANSFER_WRITE_BIT);
}

void record_host_barrier(CommandBuffer commands) {
  record_memory_barrier(commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
}

Result<Commander> Commander::create(Device& device) {
  Commander commander;
  commander.device_ = &device;
  auto pool_info = vk_struct<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool_info.queueFamilyIndex = device.queue_family();
  VkCommandPool pool = VK_NULL_HANDLE;
  if (VkResult result = vkCreateCommandPool(device.handle(), &pool_info, nullptr, &pool); result != VK_SUCCESS)
    return device.fail(result, "create a command pool");
  commander.pool_ = CommandPoolHandle(device, pool);
  const auto fence_info = vk_struct<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  VkFence fence = VK_NULL_HANDLE;
  if (VkResult result = vkCreateFence(device.handle(), &fence_info, nullptr, &fence); result != VK_SUCCESS)
    return device.fail(result, "create a fence");
  commander.fence_ = FenceHandle(device, fence);
  auto scratch = commander.allocate();
  if (!scratch) return tl::unexpected(std::move(scratch.error()));
  commander.scratch_ = *scratch;
  return commander;
}

Result<CommandBuffer> Commander::allocate() {
  auto info = vk_struct<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = pool_.get();
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  CommandBuffer commands = VK_NULL_HANDLE;
  if (VkResult result = vkAllocateCommandBuffers(device_->handle(), &info, &commands); result != VK_SUCCESS)
    return device_->fail(result, "allocate a command buffer");
  return commands;
}

Result<void> Commander::begin(CommandBuffer commands) {
  const auto info = vk_struct<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  if (VkResult result = vkBeginCommandBuffer(commands, &info); result != VK_SUCCESS)
    return device_->fail(result, "record commands");
  return {};
}

Result<void> Commander::end(CommandBuffer commands) {
  if (VkResult result = vkEndCommandBuffer(commands); result != VK_SUCCESS)
    return device_->fail(result, "record commands");
  return {};
}

Result<PassTimes> Commander::submit(CommandBuffer commands, std::chrono::nanoseconds timeout) {
  if (auto usable = device_->check_usable(); !usable) return tl::unexpected(std::move(usable.error()));
  VkFence fence = fence_.get();
  if (VkResult result = vkResetFences(device_->handle(), 1, &fence); result != VK_SUCCESS)
    return device_->fail(result, "reset a fence");
  auto info = vk_struct<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;

  PassTimes times;
  const Clock::time_point begin = Clock::now();
  if (VkResult result = vkQueueSubmit(device_->queue(), 1, &info, fence); result != VK_SUCCESS)
    return device_->fail(result, "send work to the device");
  times.submit_ns = nanoseconds_since(begin);
  const Clock::time_point sent = Clock::now();
  const VkResult result =
      vkWaitForFences(device_->handle(), 1, &fence, VK_TRUE, static_cast<uint64_t>(timeout.count()));
  if (result == VK_TIMEOUT) {
    device_->abandon();
    return tl::unexpected(Error{
        fmt::format("the Vulkan device \"{}\" did not finish its work within {:.3g} s; allow it more time, or use a "
                    "smaller program (the device is unusable until it is opened again)",
                    device_->info().name, std::chrono::duration<double>(timeout).count())});
  }
  if (result != VK_SUCCESS) return device_->fail(result, "wait for the device");
  times.wait_ns = nanoseconds_since(sent);
  return times;
}

}  // namespace rangescope::runtime
