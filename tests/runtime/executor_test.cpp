// What the buffers hold after a run.
#include <gmock/gmock.h>

#include <numeric>

#include "tests/runtime/fixture.h"

namespace rangescope::runtime {
namespace {

std::vector<float> iota(size_t count, float from = 0) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), from);
  return values;
}

KernelSource add_kernel(uint32_t count) {
  KernelSource kernel = simple_kernel("add", "float", 3, count, "b0[i] = b1[i] + b2[i];");
  kernel.access = {Access::write, Access::read, Access::read};
  return kernel;
}

TEST_F(DeviceTest, AddsVectors) {
  constexpr size_t k_count = 1000;
  auto executor = create({add_kernel(k_count)}, {{k_count * 4}, {k_count * 4}, {k_count * 4}});
  ASSERT_OK(executor);
  ASSERT_OK(upload(*executor, 1, iota(k_count)));
  ASSERT_OK(upload(*executor, 2, iota(k_count, 0.5F)));
  const Dispatch dispatch = KernelDispatch{.kernel = 0, .buffers = {0, 1, 2}};
  ASSERT_OK(executor->run({&dispatch, 1}));
  const std::vector<float> sum = download<float>(*executor, 0, k_count);
  for (size_t i = 0; i < k_count; ++i) ASSERT_EQ(sum[i], 2 * static_cast<float>(i) + 0.5F);
  ASSERT_EQ(executor->kernels().size(), 1U);
  EXPECT_EQ(executor->kernels()[0].name, "add");
  EXPECT_GT(executor->kernels()[0].glsl_to_spirv_ns, 0U);
  EXPECT_GT(executor->kernels()[0].pipeline_ns, 0U);
  EXPECT_FALSE(executor->kernels()[0].spirv.empty());
}

TEST_F(DeviceTest, BuffersStartAsZeros) {
  auto executor = create({}, {{100}, {0}});
  ASSERT_OK(executor);
  EXPECT_EQ(download<uint8_t>(*executor, 0, 100), std::vector<uint8_t>(100));
  EXPECT_EQ(download<uint8_t>(*executor, 1, 0), std::vector<uint8_t>{});
  ASSERT_OK(executor->run({}));
}

// Each step reads what the one before wrote: without barriers the sums would be wrong.
TEST_F(DeviceTest, DependentDispatchesWaitForEachOther) {
  constexpr uint32_t k_count = 4096;
  constexpr int k_steps = 40;
  KernelSource step = simple_kernel("step", "int", 2, k_count, "b1[i] = b0[(i + 1) % b0.length()] + 1;");
  step.access = {Access::read, Access::write};
  auto executor = create({step}, {{size_t{k_count} * 4}, {size_t{k_count} * 4}});
  ASSERT_OK(executor);
  std::vector<int32_t> start(k_count);
  std::iota(start.begin(), start.end(), 0);
  std::vector<Dispatch> chain;
  for (uint32_t i = 0; i < k_steps; ++i) chain.emplace_back(KernelDispatch{.buffers = {i % 2, 1 - i % 2}});
  for (const bool isolate : {true, false}) {
    ASSERT_OK(upload(*executor, 0, start));
    ASSERT_OK(executor->run(chain, {.isolate = isolate}));
    const auto values = download<int32_t>(*executor, 0, k_count);
    for (uint32_t i = 0; i < k_count; ++i)
      ASSERT_EQ(values[i], static_cast<int32_t>((i + k_steps) % k_count) + k_steps) << i;
  }
}

TEST_F(DeviceTest, RepeatsKeepTheValuesOfOnePass) {
  // Buffer 0 is updated in place; 1 is an intermediate, written first; 2 is partly overwritten, then doubled.
  constexpr uint32_t k_count = 64;
  KernelSource update = simple_kernel("update", "float", 2, k_count, "b0[i] += b1[i];");
  update.access = {Access::read_write, Access::read};
  KernelSource fill = simple_kernel("fill", "float", 1, k_count, "b0[i] = 3.0;");
  fill.access = {Access::write};
  KernelSource half = simple_kernel("half", "float", 1, k_count / 2, "b0[i] = 5.0;");
  half.access = {Access::read_write};
  const KernelSource twice = simple_kernel("twice", "float", 1, k_count, "b0[i] *= 2.0;");
  auto executor =
      create({update, fill, half, twice}, {{size_t{k_count} * 4}, {size_t{k_count} * 4}, {size_t{k_count} * 4}});
  ASSERT_OK(executor);
  ASSERT_OK(upload(*executor, 0, iota(k_count)));
  ASSERT_OK(upload(*executor, 2, iota(k_count)));
  const std::vector<Dispatch> program = {
      KernelDispatch{.kernel = 1, .buffers = {1}}, KernelDispatch{.kernel = 0, .buffers = {0, 1}},
      KernelDispatch{.kernel = 2, .buffers = {2}}, KernelDispatch{.kernel = 3, .buffers = {2}}};
  const auto report = executor->run(program, {.warmup = 2, .repeat = 5});
  ASSERT_OK(report);
  EXPECT_EQ(report->dispatches[0].times.count, 5U);
  const auto zero = download<float>(*executor, 0, k_count);
  const auto two = download<float>(*executor, 2, k_count);
  for (uint32_t i = 0; i < k_count; ++i) {
    const auto x = static_cast<float>(i);
    EXPECT_EQ(zero[i], x + 3);
    EXPECT_EQ(two[i], i < k_count / 2 ? 10 : 2 * x);
  }
  // A run does go on from where the last one ended.
  ASSERT_OK(executor->run(program));
  EXPECT_EQ(download<float>(*executor, 0, k_count)[1], 7);
}

TEST_F(DeviceTest, CopiesBetweenBuffers) {
  auto executor = create({}, {{40}, {40}, {20}});
  ASSERT_OK(executor);
  ASSERT_OK(upload(*executor, 0, iota(10)));
  const std::vector<Dispatch> program = {CopyDispatch{0, 1}, CopyDispatch{BufferRange{1, 20}, 2},
                                         CopyDispatch{BufferRange{0, 4, 4}, BufferRange{1, 0, 4}},
                                         CopyDispatch{BufferRange{1, 0, 8}, BufferRange{1, 32}}};
  const auto report = executor->run(program, {.repeat = 3});
  ASSERT_OK(report);
  EXPECT_EQ(report->dispatches.size(), 4U);
  EXPECT_EQ(download<float>(*executor, 1, 10), (std::vector<float>{1, 1, 2, 3, 4, 5, 6, 7, 1, 1}));
  EXPECT_EQ(download<float>(*executor, 2, 5), iota(5, 5));
}

TEST_F(DeviceTest, VariablesAndLaunchSizeArePushed) {
  if (!device().info().features.int64) GTEST_SKIP() << "the device has no int64";
  KernelSource kernel = simple_kernel("line", "int", 1, 1, "b0[i] = v.scale * int(i) + v.offset + int(v.large >> 40);",
                                      "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
                                      "layout(push_constant) uniform V { int scale; int offset; int64_t large; } v;\n");
  kernel.variables = {{"scale", 0, 4}, {"offset", 4, 4}, {"large", 8, 8}};
  auto executor = create({kernel}, {{16}});
  ASSERT_OK(executor);
  KernelDispatch launch{.buffers = {0}, .values = {-3, 7, int64_t{100} << 40}, .global_size = std::array{4U, 1U, 1U}};
  Dispatch dispatch = launch;
  ASSERT_OK(executor->run({&dispatch, 1}));
  EXPECT_EQ(download<int32_t>(*executor, 0, 4), (std::vector<int32_t>{107, 104, 101, 98}));
  launch.values[1] = int64_t{1} << 31;
  dispatch = launch;
  const auto refused = executor->run({&dispatch, 1});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("variable \"offset\" is an int32 and cannot be 2147483648"));
}

TEST_F(DeviceTest, APartOfABufferIsBound) {
  const auto alignment = static_cast<uint32_t>(device().info().limits.storage_offset_alignment);
  const uint32_t skipped = alignment / 4;
  auto executor = create({simple_kernel("one", "float", 1, 2, "b0[i] = 1.0;")}, {{2 * alignment + 8}});
  ASSERT_OK(executor);
  const Dispatch dispatch = KernelDispatch{.buffers = {BufferRange{0, alignment, 8}}};
  ASSERT_OK(executor->run({&dispatch, 1}));
  const auto values = download<float>(*executor, 0, 2 * skipped + 2);
  for (uint32_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], i == skipped || i == skipped + 1 ? 1 : 0) << i;
}

// The path of a discrete GPU, in pieces larger than the staging buffer.
TEST_F(DeviceTest, StagingMovesTheSameBytes) {
  const auto staged = open_device({.force_staging = true});
  ASSERT_NE(staged, nullptr);
  constexpr size_t k_count = (size_t{20} << 20) / 4 + 3;
  {
    auto executor = Executor::create(*staged, {}, std::vector<BufferDesc>{{k_count * 4}}, without_cache());
    ASSERT_OK(executor);
    std::vector<uint32_t> values(k_count);
    for (size_t i = 0; i < k_count; ++i) values[i] = static_cast<uint32_t>(i * 2654435761U);
    ASSERT_OK(upload(*executor, 0, values));
    EXPECT_TRUE(download<uint32_t>(*executor, 0, k_count) == values);
  }
  for (const std::string& message : staged->instance().validation().messages()) ADD_FAILURE() << message;
}

}  // namespace
}  // namespace rangescope::runtime
