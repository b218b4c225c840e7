// Finding a driver and choosing a device.
#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/runtime/fixture.h"

namespace rangescope::runtime {
namespace {

using testing::HasSubstr;

// Sets a variable while it lives.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
  }
  ~ScopedVariable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(NoDevice, TheErrorNamesThePackageAndTheVariable) {
  const ScopedVariable icd("VK_ICD_FILENAMES", "/nowhere.json");
  const ScopedVariable drivers("VK_DRIVER_FILES", "/nowhere.json");
  const auto device = Device::open();
  ASSERT_FALSE(device);
  EXPECT_THAT(device.error().message, HasSubstr("mesa-vulkan-drivers"));
  EXPECT_THAT(device.error().message, HasSubstr("VK_DRIVER_FILES is set to \"/nowhere.json\""));
}

DeviceInfo device_called(std::string name, VkPhysicalDeviceType type, std::string unusable = {}) {
  DeviceInfo info;
  info.name = std::move(name);
  info.type = type;
  info.unusable = std::move(unusable);
  return info;
}

const std::vector<DeviceInfo>& some_devices() {
  static const std::vector<DeviceInfo> devices = {
      device_called("llvmpipe", VK_PHYSICAL_DEVICE_TYPE_CPU),
      device_called("Old Card", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, "it has no compute queue"),
      device_called("Radeon RX", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU),
      device_called("Radeon Vega", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU),
  };
  return devices;
}

TEST(ChooseDevice, TakesTheBestUsableOneByDefault) {
  const auto chosen = choose_device(some_devices());
  ASSERT_OK(chosen);
  EXPECT_EQ(chosen->name, "Radeon RX");
}

TEST(ChooseDevice, TakesAnIndexOrAPartOfTheName) {
  EXPECT_EQ(choose_device(some_devices(), "0")->name, "llvmpipe");
  EXPECT_EQ(choose_device(some_devices(), "LLVM")->name, "llvmpipe");
  EXPECT_EQ(choose_device(some_devices(), "vega")->name, "Radeon Vega");
}

TEST(ChooseDevice, RefusalsListWhatThereIs) {
  for (const char* selector : {"7", "geforce", "radeon"}) {
    const auto chosen = choose_device(some_devices(), selector);
    ASSERT_FALSE(chosen) << selector;
    EXPECT_THAT(chosen.error().message, HasSubstr("3: Radeon Vega (integrated GPU)"));
  }
  EXPECT_THAT(choose_device(some_devices(), "old").error().message, HasSubstr("it has no compute queue"));
  EXPECT_THAT(choose_device({}).error().message, HasSubstr("mesa-vulkan-drivers"));
  EXPECT_THAT(choose_device({some_devices()[1]}).error().message, HasSubstr("no compute queue"));
}

// Proves that the silence the other tests ask for means something.
TEST_F(DeviceTest, ValidationHearsAMissingBarrier) {
  if (!Instance::validation_available()) GTEST_SKIP() << "the validation layer is not installed";
  const auto careless = open_device();
  ASSERT_NE(careless, nullptr);
  MemoryArena arena(*careless, MemoryUse::device, 64);
  const auto buffer = Buffer::create(*careless, arena, 16, "a buffer");
  ASSERT_OK(buffer);
  auto commander = Commander::create(*careless);
  ASSERT_OK(commander);
  ASSERT_OK(commander->run(std::chrono::seconds(10), [&](CommandBuffer commands) {
    vkCmdFillBuffer(commands, buffer->handle(), 0, VK_WHOLE_SIZE, 1);
    vkCmdFillBuffer(commands, buffer->handle(), 0, VK_WHOLE_SIZE, 2);
  }));
  const std::vector<std::string> messages = careless->instance().validation().messages();
  ASSERT_FALSE(messages.empty());
  EXPECT_THAT(messages.front(), HasSubstr("SYNC-HAZARD-WRITE-AFTER-WRITE"));
}

TEST_F(DeviceTest, LimitsAndQueueAreRead) {
  const DeviceInfo& info = device().info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_TRUE(info.compute_family.has_value());
  EXPECT_GE(info.limits.max_storage_buffer_range, uint64_t{1} << 27);
  EXPECT_GE(info.limits.max_storage_buffers, 4U);
  EXPECT_GE(info.limits.max_workgroup_invocations, 128U);
  EXPECT_GE(info.limits.max_workgroup_count[0], 65535U);
  EXPECT_GT(info.limits.memory_bytes, 0U);
  EXPECT_GT(info.timestamp_period_ns, 0);
}

}  // namespace
}  // namespace rangescope::runtime
