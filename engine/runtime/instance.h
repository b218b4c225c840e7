#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/ir/error.h"

namespace rangescope::runtime {

// What the validation layer said, in order. Drivers and layers may call from any thread.
class ValidationLog {
 public:
  void add(std::string message);
  std::vector<std::string> messages() const;
  void clear();

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
};

struct InstanceOptions {
  // Checks every call, synchronisation included; slow, for tests and for hunting bugs of ours.
  bool validation = false;
};

// A raw VkInstance (never Qt's: compute works without a window system).
class Instance {
 public:
  // Fails when no driver is installed, naming the package that brings one, or when validation is wanted and not there.
  static Result<std::unique_ptr<Instance>> create(const InstanceOptions& options = {});
  static bool validation_available();

  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  VkInstance handle() const { return instance_; }
  bool validating() const { return messenger_ != VK_NULL_HANDLE; }
  ValidationLog& validation() { return validation_; }

 private:
  Instance() = default;
  Result<void> attach_messenger();

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  ValidationLog validation_;
};

}  // namespace rangescope::runtime
