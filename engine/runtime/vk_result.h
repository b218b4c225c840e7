#pragma once

#include <vulkan/vulkan.h>

#include <string_view>

#include "engine/ir/error.h"

namespace rangescope::runtime {

// The result's own name, "VK_ERROR_DEVICE_LOST"; "VkResult -1000" for one that is not known here.
std::string vk_result_name(VkResult result);

// The one place that turns a VkResult into an Error: "could not <action>: <what it means and what to do> (<name>)".
Error vk_error(VkResult result, std::string_view action);

}  // namespace rangescope::runtime
