#include "engine/runtime/vk_result.h"

#include <fmt/format.h>

namespace rangescope::runtime {
namespace {

struct ResultText {
  VkResult result;
  const char* name;
  const char* meaning;
};

constexpr const char* k_no_driver =
    "no Vulkan driver can be used here; install one (mesa-vulkan-drivers on Debian and Ubuntu has a software device "
    "that "
    "runs on every machine)";

constexpr ResultText k_results[] = {
    {VK_SUCCESS, "VK_SUCCESS", "it succeeded"},
    {VK_NOT_READY, "VK_NOT_READY", "the device has not finished it"},
    {VK_TIMEOUT, "VK_TIMEOUT", "the device did not finish in time"},
    {VK_INCOMPLETE, "VK_INCOMPLETE", "the answer was longer than expected; try again"},
    {VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY",
     "the machine has no memory left; close something or use a smaller program"},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY",
     "the device has no memory left; use a smaller program or another device"},
    {VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED", "the driver could not start; check its version"},
    {VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST",
     "the device stopped working (a kernel ran too long or outside its buffers, or the driver was reset); open the "
     "device again"},
    {VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED", "the driver could not map device memory"},
    {VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT",
     "a Vulkan layer is not installed (vulkan-validationlayers on Debian and Ubuntu)"},
    {VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT",
     "the driver lacks an extension; a newer driver may have it"},
    {VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT",
     "the driver lacks a feature; a newer driver may have it"},
    {VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER", k_no_driver},
    {VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS", "the driver allows no more objects of this kind"},
    {VK_ERROR_FORMAT_NOT_SUPPORTED, "VK_ERROR_FORMAT_NOT_SUPPORTED", "the device lacks the format"},
    {VK_ERROR_FRAGMENTED_POOL, "VK_ERROR_FRAGMENTED_POOL", "the descriptor pool is fragmented"},
    {VK_ERROR_UNKNOWN, "VK_ERROR_UNKNOWN", "the driver gave no reason"},
    {VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY", "the descriptor pool is used up"},
    {VK_ERROR_FRAGMENTATION, "VK_ERROR_FRAGMENTATION", "the descriptor memory is fragmented"},
};

const ResultText* find(VkResult result) {
  for (const ResultText& text : k_results)
    if (text.result == result) return &text;
  return nullptr;
}

}  // namespace

std::string vk_result_name(VkResult result) {
  const ResultText* text = find(result);
  return text ? text->name : fmt::format("VkResult {}", static_cast<int>(result));
}

Error vk_error(VkResult result, std::string_view action) {
  const ResultText* text = find(result);
  return Error{fmt::format("could not {}: {} ({})", action, text ? text->meaning : "the driver refused",
                           vk_result_name(result))};
}

}  // namespace rangescope::runtime
