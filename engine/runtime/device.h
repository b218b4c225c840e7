#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <string>
#include <string_view>

#include "engine/ir/error.h"
#include "engine/runtime/device_info.h"
#include "engine/runtime/instance.h"

namespace rangescope::runtime {

struct DeviceOptions {
  std::string selector = {};  // as choose_device takes it; empty: the best
  bool validation = false;    // see InstanceOptions
  // Accesses outside a buffer are caught by the device rather than reading its neighbour or losing the device.
  bool robust_buffer_access = true;
  // Copies through a staging buffer even where the host could write device memory itself (for tests).
  bool force_staging = false;
};

// The logical device and its one queue. Everything made from it holds a pointer to it: it stays where it is and
// outlives them. One thread at a time.
class Device {
 public:
  // Loader, choice and logical device in one step.
  static Result<std::unique_ptr<Device>> open(const DeviceOptions& options = {});
  static Result<std::unique_ptr<Device>> create(std::unique_ptr<Instance> instance, const DeviceInfo& info,
                                                const DeviceOptions& options = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  VkDevice handle() const { return device_; }
  VkQueue queue() const { return queue_; }
  uint32_t queue_family() const { return *info_.compute_family; }
  const DeviceInfo& info() const { return info_; }
  const VkPhysicalDeviceMemoryProperties& memory() const { return memory_; }
  Instance& instance() { return *instance_; }
  // Buffers are in memory that the host sees, so no staging is needed.
  bool maps_buffers() const { return info_.shares_host_memory() && !force_staging_; }

  // The error of a failed call; a lost device is remembered, so that later work is refused at once.
  tl::unexpected<Error> fail(VkResult result, std::string_view action);

  // After a loss the device only takes its objects back; open it again to go on. After `abandon` (work that never ended
  // is still on it) not even that is allowed, and its objects are left to the end of the process.
  Result<void> check_usable() const;
  bool lost() const { return state_ != State::usable; }
  bool abandoned() const { return state_ == State::abandoned; }
  void abandon() { state_ = State::abandoned; }

 private:
  enum class State { usable, lost, abandoned };

  Device() = default;

  std::unique_ptr<Instance> instance_;
  DeviceInfo info_;
  VkPhysicalDeviceMemoryProperties memory_{};
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  bool force_staging_ = false;
  State state_ = State::usable;
};

}  // namespace rangescope::runtime
