// Times of dispatches, and what becomes of them without timestamps.
#include <gmock/gmock.h>

#include "tests/runtime/fixture.h"

namespace rangescope::runtime {
namespace {

using testing::HasSubstr;

// `steps`, below 65535, for each of `groups` invocations.
KernelSource slow_kernel(const std::string& name, uint32_t groups, uint32_t steps) {
  return simple_kernel(name, "uint", 1, groups,
                       "uint x = b0[i]; for (uint k = 0u; k < " + std::to_string(steps) +
                           "u; ++k) x = x * 1664525u + 1013904223u ^ (x >> 7); b0[i] = x;");
}

TEST_F(DeviceTest, TimesAreThereAndGrowWithTheWork) {
  auto executor = create({slow_kernel("short", 64, 100), slow_kernel("long", 64, 50000)}, {{256}});
  ASSERT_OK(executor);
  const std::vector<Dispatch> program = {KernelDispatch{.kernel = 0, .buffers = {0}},
                                         KernelDispatch{.kernel = 1, .buffers = {0}}};
  const auto report = executor->run(program, {.warmup = 1, .repeat = 7});
  ASSERT_OK(report);
  ASSERT_TRUE(report->timed) << report->note;
  EXPECT_TRUE(report->note.empty());
  ASSERT_EQ(report->dispatches.size(), 2U);
  for (const DispatchReport& dispatch : report->dispatches) {
    EXPECT_GT(dispatch.first_ns, 0U);
    EXPECT_EQ(dispatch.samples_ns.size(), 7U);
    EXPECT_EQ(dispatch.times.count, 7U);
    EXPECT_GT(dispatch.times.min_ns, 0U);
    EXPECT_LE(dispatch.times.min_ns, dispatch.times.median_ns);
    EXPECT_LE(dispatch.times.median_ns, dispatch.times.p95_ns);
  }
  EXPECT_GT(report->dispatches[1].times.median_ns, report->dispatches[0].times.median_ns);
  ASSERT_EQ(report->warmups.size(), 1U);
  ASSERT_EQ(report->repeats.size(), 7U);
  for (size_t pass = 0; pass < report->repeats.size(); ++pass) {
    const uint64_t on_device = report->dispatches[0].samples_ns[pass] + report->dispatches[1].samples_ns[pass];
    const PassTimes& host = report->repeats[pass];
    EXPECT_GT(host.submit_ns, 0U);
    EXPECT_GE(host.submit_ns + host.wait_ns, on_device) << "the host waits at least as long as the device works";
  }
}

TEST_F(DeviceTest, TicksRiseFromDispatchToDispatch) {
  auto commander = Commander::create(device());
  ASSERT_OK(commander);
  const auto queries = TimestampQueries::create(device(), 8);
  ASSERT_OK(queries);
  ASSERT_OK(commander->run(std::chrono::seconds(10), [&](CommandBuffer commands) {
    queries->reset(commands);
    for (uint32_t i = 0; i < 8; ++i) {
      queries->write(commands, i);
      record_barrier(commands);
    }
  }));
  const auto ticks = queries->read();
  ASSERT_OK(ticks);
  EXPECT_GT(ticks->front(), 0U);
  EXPECT_TRUE(std::is_sorted(ticks->begin(), ticks->end()));
}

TEST_F(DeviceTest, WithoutTimestampsTheReportSaysSo) {
  auto executor = create({slow_kernel("k", 1, 10)}, {{4}});
  ASSERT_OK(executor);
  const Dispatch dispatch = KernelDispatch{.buffers = {0}};
  const auto report = executor->run({&dispatch, 1}, {.repeat = 2, .timestamps = false});
  ASSERT_OK(report);
  EXPECT_FALSE(report->timed);
  EXPECT_FALSE(report->note.empty());
  EXPECT_EQ(report->dispatches[0].times.count, 0U);
  EXPECT_EQ(report->repeats.size(), 2U);
  EXPECT_GT(report->repeats[0].wait_ns + report->repeats[0].submit_ns, 0U);
}

TEST_F(DeviceTest, ADeviceWithoutTimestampsStillRuns) {
  auto instance = Instance::create({.validation = Instance::validation_available()});
  ASSERT_OK(instance);
  auto devices = list_devices(**instance);
  ASSERT_OK(devices);
  auto info = choose_device(*devices);
  ASSERT_OK(info);
  info->timestamp_valid_bits = 0;
  auto blind = Device::create(std::move(*instance), *info);
  ASSERT_OK(blind);
  auto executor = Executor::create(**blind, {slow_kernel("k", 1, 10)}, std::vector<BufferDesc>{{4}}, without_cache());
  ASSERT_OK(executor);
  const Dispatch dispatch = KernelDispatch{.buffers = {0}};
  const auto report = executor->run({&dispatch, 1}, {.repeat = 1});
  ASSERT_OK(report);
  EXPECT_FALSE(report->timed);
  EXPECT_THAT(report->note, HasSubstr("has no timestamps"));
  EXPECT_TRUE((*blind)->instance().validation().messages().empty());
}

TEST_F(DeviceTest, TheBudgetEndsTheRepeatsEarly) {
  auto executor = create({slow_kernel("k", 64, 2000)}, {{256}});
  ASSERT_OK(executor);
  const Dispatch dispatch = KernelDispatch{.buffers = {0}};
  const auto report =
      executor->run({&dispatch, 1}, {.repeat = 1000000, .repeat_budget = std::chrono::milliseconds(20)});
  ASSERT_OK(report);
  EXPECT_GE(report->repeats.size(), 1U);
  EXPECT_LT(report->repeats.size(), 100000U);
  EXPECT_EQ(report->dispatches[0].times.count, report->repeats.size());
}

TEST_F(DeviceTest, WorkThatDoesNotEndIsGivenUp) {
  const auto hung = open_device();
  ASSERT_NE(hung, nullptr);
  // Seconds of work rather than an endless loop: it goes on until it ends, whoever still waits for it.
  auto executor = Executor::create(*hung, {slow_kernel("fine", 1, 10), slow_kernel("endless", 20000, 60000)},
                                   std::vector<BufferDesc>{{80000}}, without_cache());
  ASSERT_OK(executor);
  const std::vector<Dispatch> program = {KernelDispatch{.kernel = 0, .buffers = {0}},
                                         KernelDispatch{.kernel = 1, .buffers = {0}}};
  const auto begin = std::chrono::steady_clock::now();
  const auto report = executor->run(program, {.timeout = std::chrono::milliseconds(100)});
  const auto taken = std::chrono::steady_clock::now() - begin;
  ASSERT_FALSE(report);
  EXPECT_LT(taken, std::chrono::milliseconds(600));
  EXPECT_THAT(report.error().message, HasSubstr("did not finish its work within 0.1 s"));
  EXPECT_THAT(report.error().message, HasSubstr("dispatch 1 (kernel \"endless\")"));
  EXPECT_TRUE(hung->lost());
  EXPECT_THAT(executor->run(program).error().message, HasSubstr("open it again"));
}

}  // namespace
}  // namespace rangescope::runtime
