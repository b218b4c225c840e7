#include "tests/runtime/fixture.h"

#include <fmt/format.h>

namespace rangescope::runtime {

std::unique_ptr<Device> DeviceTest::open_device(DeviceOptions options) {
  options.validation = Instance::validation_available();
  auto device = Device::open(options);
  if (device) return std::move(*device);
  ADD_FAILURE() << device.error().message;
  return nullptr;
}

Device* DeviceTest::shared_device() {
  static const std::unique_ptr<Device> device = open_device();
  return device.get();
}

void DeviceTest::SetUp() {
  ASSERT_NE(shared_device(), nullptr);
}

void DeviceTest::TearDown() {
  if (!shared_device()) return;
  ValidationLog& log = device().instance().validation();
  for (const std::string& message : log.messages()) ADD_FAILURE() << "validation: " << message;
  log.clear();
}

ExecutorOptions DeviceTest::without_cache() {
  ExecutorOptions options;
  options.cache_folder.clear();
  return options;
}

KernelSource simple_kernel(const std::string& name, const std::string& type, uint32_t count, uint32_t groups,
                           const std::string& body, const std::string& declarations) {
  KernelSource kernel;
  kernel.name = name;
  kernel.glsl = "#version 460\n" + declarations + "layout(local_size_x = 1) in;\n";
  for (uint32_t i = 0; i < count; ++i)
    kernel.glsl += fmt::format("layout(set = 0, binding = {0}, std430) buffer B{0} {{ {1} b{0}[]; }};\n", i, type);
  kernel.glsl += "void main() {\n  uint i = gl_GlobalInvocationID.x;\n  " + body + "\n}\n";
  kernel.global_size = {groups, 1, 1};
  kernel.buffer_count = count;
  return kernel;
}

}  // namespace rangescope::runtime
