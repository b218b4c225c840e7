#include "engine/runtime/instance.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "engine/runtime/vk_result.h"
#include "engine/runtime/vk_struct.h"

namespace rangescope::runtime {
namespace {

constexpr const char* k_validation_layer = "VK_LAYER_KHRONOS_validation";

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* log) {
  static_cast<ValidationLog*>(log)->add(data->pMessage ? data->pMessage : "");
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(ValidationLog& log) {
  auto info = vk_struct<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = on_message;
  info.pUserData = &log;
  return info;
}

// The variables that point the loader at other drivers: the usual reason for none where one is installed.
std::string driver_variables() {
  std::string text;
  for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
    if (const char* value = std::getenv(name)) text += fmt::format("; {} is set to \"{}\"", name, value);
  return text;
}

}  // namespace

void ValidationLog::add(std::string message) {
  const std::lock_guard lock(mutex_);
  messages_.push_back(std::move(message));
}

std::vector<std::string> ValidationLog::messages() const {
  const std::lock_guard lock(mutex_);
  return messages_;
}

void ValidationLog::clear() {
  const std::lock_guard lock(mutex_);
  messages_.clear();
}

bool Instance::validation_available() {
  uint32_t count = 0;
  if (vkEnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkLayerProperties> layers(count);
  if (vkEnumerateInstanceLayerProperties(&count, layers.data()) != VK_SUCCESS) return false;
  for (uint32_t i = 0; i < count; ++i)
    if (std::strcmp(layers[i].layerName, k_validation_layer) == 0) return true;
  return false;
}

Result<std::unique_ptr<Instance>> Instance::create(const InstanceOptions& options) {
  if (options.validation && !validation_available())
    return tl::unexpected(
        Error{"Vulkan validation was asked for, but its layer is not installed; install "
              "vulkan-validationlayers (Debian, Ubuntu) or run without validation"});
  std::unique_ptr<Instance> instance(new Instance);

  auto app = vk_struct<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  app.pApplicationName = "rangescope";
  app.apiVersion = VK_API_VERSION_1_2;

  const VkValidationFeatureEnableEXT checks[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  auto features = vk_struct<VkValidationFeaturesEXT>(VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT);
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = checks;
  // In the chain of the instance itself, so that its own creation and destruction are heard too.
  VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(instance->validation_);
  features.pNext = &messenger;
  const char* extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};

  auto info = vk_struct<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &app;
  if (options.validation) {
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &k_validation_layer;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = extensions;
  }
  if (VkResult result = vkCreateInstance(&info, nullptr, &instance->instance_); result != VK_SUCCESS) {
    instance->instance_ = VK_NULL_HANDLE;
    Error error = vk_error(result, "start Vulkan");
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) error.message += driver_variables();
    return tl::unexpected(std::move(error));
  }
  if (options.validation)
    if (auto attached = instance->attach_messenger(); !attached) return tl::unexpected(std::move(attached.error()));
  return instance;
}

Result<void> Instance::attach_messenger() {
  const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
  const VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(validation_);
  if (VkResult result = create ? create(instance_, &info, nullptr, &messenger_) : VK_ERROR_EXTENSION_NOT_PRESENT;
      result != VK_SUCCESS)
    return tl::unexpected(vk_error(result, "listen to Vulkan's validation layer"));
  return {};
}

Instance::~Instance() {
  if (messenger_ != VK_NULL_HANDLE) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
    if (destroy) destroy(instance_, messenger_, nullptr);
  }
  if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(instance_, nullptr);
}

}  // namespace rangescope::runtime
