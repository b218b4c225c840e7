// The parts that need no device: statistics, the clock, hazards, error texts.
#include <gmock/gmock.h>

#include "engine/runtime/hazards.h"
#include "engine/runtime/report.h"
#include "engine/runtime/timestamps.h"
#include "engine/runtime/vk_result.h"

namespace rangescope::runtime {
namespace {

using testing::HasSubstr;

TEST(Statistics, OfNothingIsZero) {
  EXPECT_EQ(summarize({}).count, 0U);
}

TEST(Statistics, QuantilesAreMeasuredValues) {
  std::vector<uint64_t> samples;
  for (uint64_t i = 100; i >= 1; --i) samples.push_back(i * 10);
  const Statistics times = summarize(samples);
  EXPECT_EQ(times.count, 100U);
  EXPECT_EQ(times.min_ns, 10U);
  EXPECT_EQ(times.median_ns, 500U);
  EXPECT_EQ(times.p95_ns, 950U);
  EXPECT_EQ(times.spread_ns, 500U);
  EXPECT_EQ(summarize({7}).median_ns, 7U);
  EXPECT_EQ(summarize({7}).spread_ns, 0U);
}

TEST(TimestampClock, MasksWrapsAndScales) {
  const TimestampClock clock{36, 83.333};
  EXPECT_EQ(clock.elapsed_ns(0, 12), 1000U);
  // Bits above the valid ones are noise, and the counter may wrap once in between.
  EXPECT_EQ(clock.elapsed_ns(uint64_t{5} << 40, uint64_t{9} << 50 | 12), 1000U);
  EXPECT_EQ(clock.elapsed_ns((uint64_t{1} << 36) - 6, 6), 1000U);
  EXPECT_EQ((TimestampClock{64, 1.0}.elapsed_ns(~uint64_t{0}, 1)), 2U);
  EXPECT_TRUE(clock.can_time());
  EXPECT_FALSE((TimestampClock{0, 1.0}.can_time()));
}

TEST(Hazards, OnlyDependentDispatchesWait) {
  constexpr auto k_read = Access::read;
  constexpr auto k_write = Access::write;
  HazardTracker tracker(4);
  const auto add = [&](std::vector<BufferUse> uses) { return tracker.add(uses); };
  EXPECT_FALSE(add({{0, k_read}, {1, k_write}}));
  EXPECT_FALSE(add({{0, k_read}, {2, k_write}}));  // reads beside reads
  EXPECT_TRUE(add({{1, k_read}, {3, k_write}}));   // read after write
  EXPECT_FALSE(add({{2, k_read}}));                // behind the same barrier
  EXPECT_TRUE(add({{2, k_write}}));                // write after read
  EXPECT_TRUE(add({{2, k_write}}));                // write after write
  EXPECT_FALSE(add({{0, Access::read_write}, {0, k_read}}));
  EXPECT_TRUE(add({{0, k_read}}));
  tracker.barrier();
  EXPECT_FALSE(add({{0, Access::read_write}}));
}

TEST(VkError, SaysWhatFailedWhyAndWhatToDo) {
  const std::string text = vk_error(VK_ERROR_OUT_OF_DEVICE_MEMORY, "create buffer 3").message;
  EXPECT_THAT(text, HasSubstr("could not create buffer 3"));
  EXPECT_THAT(text, HasSubstr("use a smaller program"));
  EXPECT_THAT(text, HasSubstr("VK_ERROR_OUT_OF_DEVICE_MEMORY"));
  EXPECT_THAT(vk_error(static_cast<VkResult>(-12345), "x").message, HasSubstr("VkResult -12345"));
}

}  // namespace
}  // namespace rangescope::runtime
