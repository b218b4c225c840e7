#pragma once

#include <utility>

#include "engine/runtime/device.h"

namespace rangescope::runtime {

// Owns one object of a Device. An abandoned device's objects are still in use and are never destroyed.
template <typename T, auto Destroy>
class DeviceHandle {
 public:
  DeviceHandle() = default;
  DeviceHandle(Device& device, T handle) : device_(&device), handle_(handle) {}
  ~DeviceHandle() { reset(); }
  DeviceHandle(DeviceHandle&& other) noexcept
      : device_(other.device_), handle_(std::exchange(other.handle_, T{VK_NULL_HANDLE})) {}
  DeviceHandle& operator=(DeviceHandle&& other) noexcept {
    if (this != &other) {
      reset();
      device_ = other.device_;
      handle_ = std::exchange(other.handle_, T{VK_NULL_HANDLE});
    }
    return *this;
  }
  DeviceHandle(const DeviceHandle&) = delete;
  DeviceHandle& operator=(const DeviceHandle&) = delete;

  T get() const { return handle_; }
  explicit operator bool() const { return handle_ != T{VK_NULL_HANDLE}; }

  void reset() {
    const T handle = std::exchange(handle_, T{VK_NULL_HANDLE});
    if (handle != T{VK_NULL_HANDLE} && !device_->abandoned()) Destroy(device_->handle(), handle, nullptr);
  }

 private:
  Device* device_ = nullptr;
  T handle_ = VK_NULL_HANDLE;
};

using BufferHandle = DeviceHandle<VkBuffer, vkDestroyBuffer>;
using MemoryHandle = DeviceHandle<VkDeviceMemory, vkFreeMemory>;
using ShaderModuleHandle = DeviceHandle<VkShaderModule, vkDestroyShaderModule>;
using SetLayoutHandle = DeviceHandle<VkDescriptorSetLayout, vkDestroyDescriptorSetLayout>;
using PipelineLayoutHandle = DeviceHandle<VkPipelineLayout, vkDestroyPipelineLayout>;
using PipelineHandle = DeviceHandle<VkPipeline, vkDestroyPipeline>;
using PipelineCacheHandle = DeviceHandle<VkPipelineCache, vkDestroyPipelineCache>;
using DescriptorPoolHandle = DeviceHandle<VkDescriptorPool, vkDestroyDescriptorPool>;
using CommandPoolHandle = DeviceHandle<VkCommandPool, vkDestroyCommandPool>;
using FenceHandle = DeviceHandle<VkFence, vkDestroyFence>;
using QueryPoolHandle = DeviceHandle<VkQueryPool, vkDestroyQueryPool>;

}  // namespace rangescope::runtime
