#include "engine/runtime/device_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "engine/runtime/vk_result.h"
#include "engine/runtime/vk_struct.h"

namespace rangescope::runtime {
namespace {

void read_properties(DeviceInfo& info) {
  auto driver = vk_struct<VkPhysicalDeviceDriverProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  auto maintenance =
      vk_struct<VkPhysicalDeviceMaintenance3Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
  driver.pNext = &maintenance;
  auto properties = vk_struct<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  properties.pNext = &driver;
  vkGetPhysicalDeviceProperties2(info.handle, &properties);

  info.driver = fmt::format("{} {}", driver.driverName, driver.driverInfo);
  const VkPhysicalDeviceProperties& core = properties.properties;
  info.name = core.deviceName;
  info.type = core.deviceType;
  info.api_version = core.apiVersion;
  info.vendor_id = core.vendorID;
  info.device_id = core.deviceID;
  info.driver_version = core.driverVersion;
  std::copy_n(core.pipelineCacheUUID, VK_UUID_SIZE, info.pipeline_cache_uuid.begin());
  info.timestamp_period_ns = static_cast<double>(core.limits.timestampPeriod);

  DeviceLimits& limits = info.limits;
  limits.max_storage_buffer_range = core.limits.maxStorageBufferRange;
  limits.max_storage_buffers =
      std::min({core.limits.maxPerStageDescriptorStorageBuffers, core.limits.maxDescriptorSetStorageBuffers,
                core.limits.maxPerStageResources, maintenance.maxPerSetDescriptors});
  limits.storage_offset_alignment = core.limits.minStorageBufferOffsetAlignment;
  limits.max_push_constant_bytes = core.limits.maxPushConstantsSize;
  limits.max_shared_bytes = core.limits.maxComputeSharedMemorySize;
  std::copy_n(core.limits.maxComputeWorkGroupCount, 3, limits.max_workgroup_count.begin());
  std::copy_n(core.limits.maxComputeWorkGroupSize, 3, limits.max_workgroup_size.begin());
  limits.max_workgroup_invocations = core.limits.maxComputeWorkGroupInvocations;
  limits.max_allocation_bytes = maintenance.maxMemoryAllocationSize;
  if (driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE) limits.max_loop_iterations = 65535;
}

void read_features(DeviceInfo& info) {
  auto v12 = vk_struct<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  auto v11 = vk_struct<VkPhysicalDeviceVulkan11Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
  v11.pNext = &v12;
  auto features = vk_struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  features.pNext = &v11;
  vkGetPhysicalDeviceFeatures2(info.handle, &features);
  info.features.float64 = features.features.shaderFloat64;
  info.features.int64 = features.features.shaderInt64;
  info.features.int16 = features.features.shaderInt16;
  info.features.robust_buffer_access = features.features.robustBufferAccess;
  info.features.storage16 = v11.storageBuffer16BitAccess;
  info.features.storage8 = v12.storageBuffer8BitAccess;
  info.features.float16 = v12.shaderFloat16;
  info.features.int8 = v12.shaderInt8;
}

// Prefers a family that only computes: on a GPU that draws the desktop it is not held up by the desktop.
void read_queues(DeviceInfo& info) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(info.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(info.handle, &count, families.data());
  const auto rank = [](const VkQueueFamilyProperties& family) {
    return (family.timestampValidBits ? 2 : 0) + (family.queueFlags & VK_QUEUE_GRAPHICS_BIT ? 0 : 1);
  };
  for (uint32_t i = 0; i < count; ++i) {
    if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) || families[i].queueCount == 0) continue;
    if (info.compute_family && rank(families[i]) <= rank(families[*info.compute_family])) continue;
    info.compute_family = i;
    info.timestamp_valid_bits = families[i].timestampValidBits;
  }
}

void read_memory(DeviceInfo& info) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(info.handle, &memory);
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      info.limits.memory_bytes = std::max(info.limits.memory_bytes, memory.memoryHeaps[i].size);
}

void read_extensions(DeviceInfo& info) {
  uint32_t count = 0;
  if (vkEnumerateDeviceExtensionProperties(info.handle, nullptr, &count, nullptr) != VK_SUCCESS) return;
  std::vector<VkExtensionProperties> extensions(count);
  if (vkEnumerateDeviceExtensionProperties(info.handle, nullptr, &count, extensions.data()) != VK_SUCCESS) return;
  for (const VkExtensionProperties& extension : extensions)
    if (std::strcmp(extension.extensionName, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME) == 0) info.memory_budget = true;
}

DeviceInfo read_device(VkPhysicalDevice handle) {
  DeviceInfo info;
  info.handle = handle;
  VkPhysicalDeviceProperties core;
  vkGetPhysicalDeviceProperties(handle, &core);
  if (core.apiVersion < VK_API_VERSION_1_2) {
    // The queries below are 1.2's own.
    info.name = core.deviceName;
    info.type = core.deviceType;
    info.unusable = fmt::format("its driver offers Vulkan {}.{}, 1.2 is needed", VK_API_VERSION_MAJOR(core.apiVersion),
                                VK_API_VERSION_MINOR(core.apiVersion));
    return info;
  }
  read_properties(info);
  read_features(info);
  read_queues(info);
  read_memory(info);
  read_extensions(info);
  if (!info.compute_family) info.unusable = "it has no compute queue";
  return info;
}

int preference(const DeviceInfo& info) {
  switch (info.type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return 3;
    default:
      return 4;
  }
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string listing(const std::vector<DeviceInfo>& devices) {
  std::string text;
  for (size_t i = 0; i < devices.size(); ++i) {
    text += fmt::format("\n  {}: {} ({})", i, devices[i].name, device_type_name(devices[i].type));
    if (!devices[i].unusable.empty()) text += ", cannot be used: " + devices[i].unusable;
  }
  return text;
}

Result<DeviceInfo> usable(const DeviceInfo& info) {
  if (!info.unusable.empty())
    return refuse(fmt::format("the Vulkan device \"{}\" cannot be used: {}", info.name, info.unusable));
  return info;
}

Result<DeviceInfo> choose_by_name(const std::vector<DeviceInfo>& devices, std::string_view selector) {
  const std::string wanted = lower(selector);
  const DeviceInfo* found = nullptr;
  for (const DeviceInfo& info : devices) {
    if (lower(info.name).find(wanted) == std::string::npos) continue;
    if (found)
      return refuse(
          fmt::format("more than one Vulkan device is called \"{}\"; give its number:{}", selector, listing(devices)));
    found = &info;
  }
  if (!found) return refuse(fmt::format("no Vulkan device is called \"{}\"; there are:{}", selector, listing(devices)));
  return usable(*found);
}

}  // namespace

std::string_view device_type_name(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete GPU";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated GPU";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual GPU";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "software";
    default:
      return "other";
  }
}

Result<std::vector<DeviceInfo>> list_devices(const Instance& instance) {
  uint32_t count = 0;
  if (VkResult result = vkEnumeratePhysicalDevices(instance.handle(), &count, nullptr); result != VK_SUCCESS)
    return tl::unexpected(vk_error(result, "list the Vulkan devices"));
  std::vector<VkPhysicalDevice> handles(count);
  if (VkResult result = vkEnumeratePhysicalDevices(instance.handle(), &count, handles.data());
      result != VK_SUCCESS && result != VK_INCOMPLETE)
    return tl::unexpected(vk_error(result, "list the Vulkan devices"));
  handles.resize(count);
  std::vector<DeviceInfo> devices;
  devices.reserve(count);
  for (VkPhysicalDevice handle : handles) devices.push_back(read_device(handle));
  return devices;
}

Result<DeviceInfo> choose_device(const std::vector<DeviceInfo>& devices, std::string_view selector) {
  if (devices.empty()) return tl::unexpected(vk_error(VK_ERROR_INCOMPATIBLE_DRIVER, "find a Vulkan device"));
  if (!selector.empty()) {
    size_t index = 0;
    const char* end = selector.data() + selector.size();
    if (const auto parsed = std::from_chars(selector.data(), end, index);
        parsed.ec == std::errc{} && parsed.ptr == end) {
      if (index >= devices.size())
        return refuse(fmt::format("there is no Vulkan device {}; there are:{}", index, listing(devices)));
      return usable(devices[index]);
    }
    return choose_by_name(devices, selector);
  }
  const DeviceInfo* best = nullptr;
  for (const DeviceInfo& info : devices)
    if (info.unusable.empty() && (!best || preference(info) < preference(*best))) best = &info;
  if (!best) return refuse(fmt::format("no Vulkan device here can be used:{}", listing(devices)));
  return *best;
}

}  // namespace rangescope::runtime
