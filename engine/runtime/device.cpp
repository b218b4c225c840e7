#include "engine/runtime/device.h"

#include <fmt/format.h>

#include <vector>

#include "engine/runtime/vk_result.h"
#include "engine/runtime/vk_struct.h"

namespace rangescope::runtime {
namespace {

// For a driver that still works in it; where leak checkers see that it is meant to stay.
void keep_for_good(std::unique_ptr<Instance> instance) {
  static auto& kept = *new std::vector<std::unique_ptr<Instance>>;
  kept.push_back(std::move(instance));
}

}  // namespace

Result<std::unique_ptr<Device>> Device::open(const DeviceOptions& options) {
  auto instance = Instance::create(InstanceOptions{.validation = options.validation});
  if (!instance) return tl::unexpected(std::move(instance.error()));
  auto devices = list_devices(**instance);
  if (!devices) return tl::unexpected(std::move(devices.error()));
  auto chosen = choose_device(*devices, options.selector);
  if (!chosen) return tl::unexpected(std::move(chosen.error()));
  return create(std::move(*instance), *chosen, options);
}

Result<std::unique_ptr<Device>> Device::create(std::unique_ptr<Instance> instance, const DeviceInfo& info,
                                               const DeviceOptions& options) {
  if (!info.unusable.empty())
    return tl::unexpected(Error{fmt::format("the Vulkan device \"{}\" cannot be used: {}", info.name, info.unusable)});

  auto v12 = vk_struct<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  v12.storageBuffer8BitAccess = info.features.storage8;
  v12.shaderInt8 = info.features.int8;
  v12.shaderFloat16 = info.features.float16;
  auto v11 = vk_struct<VkPhysicalDeviceVulkan11Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
  v11.pNext = &v12;
  v11.storageBuffer16BitAccess = info.features.storage16;
  auto features = vk_struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  features.pNext = &v11;
  features.features.shaderFloat64 = info.features.float64;
  features.features.shaderInt64 = info.features.int64;
  features.features.shaderInt16 = info.features.int16;
  features.features.robustBufferAccess = options.robust_buffer_access && info.features.robust_buffer_access;

  const float priority = 1.0F;
  auto queue = vk_struct<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = *info.compute_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  const char* budget = VK_EXT_MEMORY_BUDGET_EXTENSION_NAME;
  auto create = vk_struct<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  create.pNext = &features;
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queue;
  create.enabledExtensionCount = info.memory_budget ? 1 : 0;
  create.ppEnabledExtensionNames = &budget;

  std::unique_ptr<Device> device(new Device);
  device->instance_ = std::move(instance);
  device->info_ = info;
  device->force_staging_ = options.force_staging;
  if (VkResult result = vkCreateDevice(info.handle, &create, nullptr, &device->device_); result != VK_SUCCESS)
    return device->fail(result, fmt::format("open the Vulkan device \"{}\"", info.name));
  vkGetDeviceQueue(device->device_, *info.compute_family, 0, &device->queue_);
  vkGetPhysicalDeviceMemoryProperties(info.handle, &device->memory_);
  return device;
}

Device::~Device() {
  if (abandoned()) {
    keep_for_good(std::move(instance_));
    return;
  }
  if (device_ != VK_NULL_HANDLE) vkDestroyDevice(device_, nullptr);
}

tl::unexpected<Error> Device::fail(VkResult result, std::string_view action) {
  if (result == VK_ERROR_DEVICE_LOST && state_ == State::usable) state_ = State::lost;
  return tl::unexpected(vk_error(result, action));
}

Result<void> Device::check_usable() const {
  if (state_ == State::usable) return {};
  return tl::unexpected(Error{
      fmt::format("the Vulkan device \"{}\" {}; open it again to go on", info_.name,
                  state_ == State::lost ? "was lost in earlier work" : "is still busy with work that was given up")});
}

}  // namespace rangescope::runtime
