// What is refused, in which words, and that the next program runs.
#include <gmock/gmock.h>

#include "tests/runtime/fixture.h"

namespace rangescope::runtime {
namespace {

using testing::HasSubstr;

class ErrorsTest : public DeviceTest {
 protected:
  static KernelSource one() { return simple_kernel("one", "float", 1, 1, "b0[i] = 1.0;"); }

  void expect_usable() {
    auto executor = create({one()}, {{4}});
    ASSERT_OK(executor);
    const Dispatch dispatch = KernelDispatch{.buffers = {0}};
    ASSERT_OK(executor->run({&dispatch, 1}));
    EXPECT_EQ(download<float>(*executor, 0, 1)[0], 1);
  }
  // The error of building `kernel`.
  std::string refusal(KernelSource kernel) {
    const auto executor = create({std::move(kernel)}, {});
    return executor ? "it was built" : executor.error().message;
  }
  // The error of running `dispatch` over kernel "one" and buffers of 16 and 32 bytes.
  std::string refusal(Dispatch dispatch) {
    auto executor = create({one()}, {{16}, {32}});
    if (!executor) return executor.error().message;
    const auto report = executor->run({&dispatch, 1});
    return report ? "it ran" : report.error().message;
  }
};

TEST_F(ErrorsTest, ABufferThatAKernelCannotSee) {
  const uint64_t limit = device().info().limits.max_storage_buffer_range;
  const auto executor = create({}, {{16}, {limit + 1}});
  ASSERT_FALSE(executor);
  EXPECT_THAT(executor.error().message, HasSubstr("buffer 1 has " + std::to_string(limit + 1) + " bytes"));
  EXPECT_THAT(executor.error().message, HasSubstr("maxStorageBufferRange"));
  expect_usable();
}

TEST_F(ErrorsTest, MoreMemoryThanTheDeviceHas) {
  const uint64_t each = std::min<uint64_t>(device().info().limits.max_storage_buffer_range, uint64_t{1} << 27);
  const std::vector<BufferDesc> buffers(device().info().limits.memory_bytes / each + 2, BufferDesc{each});
  const auto executor = create({}, buffers);
  ASSERT_FALSE(executor);
  EXPECT_THAT(executor.error().message, HasSubstr("use a smaller program or another device"));
  expect_usable();
}

TEST_F(ErrorsTest, AKernelThatDoesNotCompile) {
  EXPECT_THAT(refusal(simple_kernel("bad", "float", 1, 1, "b0[i] = nothing;")), HasSubstr("does not compile"));
  expect_usable();
}

TEST_F(ErrorsTest, KernelsBeyondTheLimits) {
  const DeviceLimits& limits = device().info().limits;
  KernelSource wide = one();
  wide.global_size = {1, limits.max_workgroup_count[1], 1};
  if (limits.max_workgroup_count[1] != UINT32_MAX) {
    ++wide.global_size[1];
    EXPECT_THAT(refusal(wide), HasSubstr("workgroups along axis 1, at most"));
  }
  KernelSource crowded = one();
  crowded.local_size = {limits.max_workgroup_size[0], limits.max_workgroup_size[1], 1};
  EXPECT_THAT(refusal(crowded), HasSubstr("its workgroup has"));
  if (limits.max_loop_iterations != 0) {
    KernelSource endless = one();
    endless.loop_iterations = limits.max_loop_iterations;
    EXPECT_OK(create({endless}, {}));
    ++endless.loop_iterations;
    EXPECT_THAT(refusal(endless), HasSubstr("ends all loops after 65535"));
  }
  KernelSource variables = one();
  variables.variables = {{"far", limits.max_push_constant_bytes, 4}};
  EXPECT_THAT(refusal(variables), HasSubstr("its variables take"));
  if (limits.max_storage_buffers < 1000) {
    KernelSource buffers = one();
    buffers.buffer_count = limits.max_storage_buffers + 1;
    EXPECT_THAT(refusal(buffers), HasSubstr("MAX_KERNEL_BUFFERS"));
  }
}

TEST_F(ErrorsTest, DispatchesThatDoNotFit) {
  EXPECT_THAT(refusal(KernelDispatch{.kernel = 4, .buffers = {0}}), HasSubstr("there is no kernel 4"));
  EXPECT_THAT(refusal(KernelDispatch{.buffers = {}}), HasSubstr("dispatch 0 (kernel \"one\"): 0 buffers are given"));
  EXPECT_THAT(refusal(KernelDispatch{.buffers = {9}}), HasSubstr("there is no buffer 9"));
  EXPECT_THAT(refusal(KernelDispatch{.buffers = {0}, .values = {1}}), HasSubstr("1 values are given"));
  EXPECT_THAT(refusal(KernelDispatch{.buffers = {BufferRange{0, 64}}}), HasSubstr("outside buffer 0"));
  EXPECT_THAT(refusal(KernelDispatch{.buffers = {BufferRange{1, 1, 4}}}), HasSubstr("no multiple of"));
  EXPECT_THAT(refusal(CopyDispatch{1, 0}), HasSubstr("dispatch 0 (copy): 32 bytes are copied to where 16 are"));
  EXPECT_THAT(refusal(CopyDispatch{1, 7}), HasSubstr("there is no buffer 7"));
  EXPECT_THAT(refusal(CopyDispatch{BufferRange{1, 0, 8}, BufferRange{1, 4}}), HasSubstr("onto itself"));
  EXPECT_THAT(refusal(CopyDispatch{BufferRange{1, 30, 8}, 0}), HasSubstr("outside buffer 1"));
}

TEST_F(ErrorsTest, UploadsOfTheWrongSize) {
  auto executor = create({}, {{16}});
  ASSERT_OK(executor);
  EXPECT_THAT(upload(*executor, 0, std::vector<float>{1}).error().message,
              HasSubstr("buffer 0 has 16 bytes, 4 are given"));
  EXPECT_THAT(upload(*executor, 1, std::vector<float>{1}).error().message, HasSubstr("there is no buffer 1"));
}

TEST_F(ErrorsTest, AKernelThatNeedsATypeTheDeviceLacks) {
  auto instance = Instance::create();
  ASSERT_OK(instance);
  auto info = choose_device(*list_devices(**instance));
  ASSERT_OK(info);
  info->features.float64 = false;
  auto poor = Device::create(std::move(*instance), *info);
  ASSERT_OK(poor);
  const auto executor =
      Executor::create(**poor, {simple_kernel("wide", "double", 1, 1, "b0[i] += 1.0;")}, {}, without_cache());
  ASSERT_FALSE(executor);
  EXPECT_THAT(executor.error().message, HasSubstr("kernel \"wide\" cannot run"));
  EXPECT_THAT(executor.error().message, HasSubstr("it needs 64-bit floats"));
}

TEST_F(ErrorsTest, AfterALossTheDeviceIsOpenedAgain) {
  {
    const auto doomed = open_device();
    ASSERT_NE(doomed, nullptr);
    auto executor = Executor::create(*doomed, {one()}, std::vector<BufferDesc>{{4}}, without_cache());
    ASSERT_OK(executor);
    EXPECT_THAT(doomed->fail(VK_ERROR_DEVICE_LOST, "wait for the device").value().message,
                HasSubstr("could not wait for the device: the device stopped working"));
    const Dispatch dispatch = KernelDispatch{.buffers = {0}};
    EXPECT_THAT(executor->run({&dispatch, 1}).error().message, HasSubstr("was lost in earlier work; open it again"));
    EXPECT_FALSE(upload(*executor, 0, std::vector<float>{1}));
    EXPECT_FALSE(Executor::create(*doomed, {}, {}, without_cache()));
  }
  expect_usable();
}

}  // namespace
}  // namespace rangescope::runtime
