#pragma once

#include <vulkan/vulkan.h>

namespace rangescope::runtime {

// A Vulkan struct of all zeros but its type.
template <typename T>
T vk_struct(VkStructureType type) {
  T out{};
  out.sType = type;
  return out;
}

}  // namespace rangescope::runtime
