#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/error.h"
#include "engine/runtime/instance.h"

namespace rangescope::runtime {

// What kernels may use; a Device is created with all of them that are present.
struct DeviceFeatures {
  bool float64 = false;
  bool float16 = false;
  bool int64 = false;
  bool int16 = false;
  bool int8 = false;
  bool storage16 = false;  // 16-bit types in storage buffers
  bool storage8 = false;   // 8-bit types in storage buffers
  bool robust_buffer_access = false;
};

struct DeviceLimits {
  uint64_t max_storage_buffer_range = 0;  // bytes of one buffer that a kernel sees
  uint32_t max_storage_buffers = 0;       // of one kernel
  uint64_t storage_offset_alignment = 1;  // of a part of a buffer bound to a kernel
  uint32_t max_push_constant_bytes = 0;
  uint32_t max_shared_bytes = 0;  // of one workgroup
  std::array<uint32_t, 3> max_workgroup_count{};
  std::array<uint32_t, 3> max_workgroup_size{};
  uint32_t max_workgroup_invocations = 0;
  uint64_t max_allocation_bytes = 0;
  // Of all loops of an invocation together; 0: no limit. llvmpipe leaves every loop for good after 65535 iterations,
  // without a word, and the numbers are wrong. Loops that the compiler unrolls do not count.
  uint64_t max_loop_iterations = 0;
  uint64_t memory_bytes = 0;  // of the largest heap local to the device
};

// A physical device as Rangescope sees it: plain values, valid as long as its Instance.
struct DeviceInfo {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  std::string name;
  std::string driver;  // name and version in the driver's words
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  uint32_t api_version = 0;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  uint32_t driver_version = 0;
  std::array<uint8_t, VK_UUID_SIZE> pipeline_cache_uuid{};
  DeviceFeatures features;
  DeviceLimits limits;
  std::optional<uint32_t> compute_family;  // the queue family that kernels are sent to
  uint32_t timestamp_valid_bits = 0;       // of that family; 0: it cannot time
  double timestamp_period_ns = 0;          // of one tick
  bool memory_budget = false;              // VK_EXT_memory_budget is there
  std::string unusable;                    // why it cannot be used; empty where it can

  bool software() const { return type == VK_PHYSICAL_DEVICE_TYPE_CPU; }
  // Host and device share one memory, so buffers can be filled without a staging copy.
  bool shares_host_memory() const { return software() || type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU; }
};

// "discrete GPU", "software", ...
std::string_view device_type_name(VkPhysicalDeviceType type);

// All devices in the loader's order, unusable ones included.
Result<std::vector<DeviceInfo>> list_devices(const Instance& instance);

// Picks one: by index ("0"), by a part of its name in any case ("llvmpipe"; two that fit are an error), or, where the
// selector is empty, the best: discrete before integrated before virtual before software, then the loader's order.
// The error lists what there is.
Result<DeviceInfo> choose_device(const std::vector<DeviceInfo>& devices, std::string_view selector = {});

}  // namespace rangescope::runtime
