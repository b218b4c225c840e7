// A measured choice between schedules.
#include "engine/runtime/schedule_search.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"
#include "tests/runtime/fixture.h"

namespace rangescope::runtime {
namespace {

using ::testing::HasSubstr;

// The softmax of the rows of a 64 x 64 matrix.
constexpr const char* k_softmax =
    R"({"name":"softmax","flags":{},"nodes":[["CONST","weakint",[],4096,null],["PARAM","float32",[0],{")"
    R"(param":{"slot":0,"dtype":"float32","device":"NULL"}},null],["CONST","weakint",[],64,null],["STAC)"
    R"(K","weakint",[2,2],null,null],["RESHAPE","float32",[1,3],null,null],["PARAM","float32",[0],{"par)"
    R"(am":{"slot":1,"dtype":"float32","device":"NULL"}},null],["RESHAPE","float32",[5,3],null,null],[")"
    R"(PERMUTE","float32",[6],[1,0],null],["REDUCE","float32",[7],[{"op":"MAX"},1],null],["CONST","weak)"
    R"(int",[],1,null],["STACK","weakint",[2,9],null,null],["RESHAPE","float32",[8,10],null,null],["CON)"
    R"(ST","weakfloat",[],-1.0,null],["MUL","float32",[11,12],null,null],["ADD","float32",[6,13],null,n)"
    R"(ull],["CONST","weakfloat",[],1.4426950408889634,null],["MUL","float32",[14,15],null,null],["EXP2)"
    R"(","float32",[16],null,null],["PERMUTE","float32",[17],[1,0],null],["REDUCE","float32",[18],[{"op)"
    R"(":"ADD"},1],null],["RESHAPE","float32",[19,10],null,null],["RECIPROCAL","float32",[20],null,null)"
    R"(],["MUL","float32",[17,21],null,null],["STORE","void",[4,22],null,null],["AFTER","float32",[4,23)"
    R"(],null,null],["SINK","void",[24],null,null]],"root":25,"counts":{"input_nodes":26}})";

class ScheduleSearchTest : public DeviceTest {
 protected:
  ScheduleSearchTest() {
    folder_ = std::filesystem::temp_directory_path() / ("rangescope_schedules_" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    options_ = options_for(device().info());
    options_.target.shares_work = false;  // also on a GPU: nothing here runs
  }
  ~ScheduleSearchTest() override { std::filesystem::remove_all(folder_); }

  struct Scheduled {
    std::unique_ptr<Store> store = symbolic::make_store();
    rangescope::Program program;
    schedule::Schedule schedule;
  };
  static Scheduled softmax(int64_t partial) {
    Scheduled s;
    s.program = read_program(k_softmax, *s.store).value();
    if (partial != 0) s.program.flags.emplace_back("PCONTIG", partial);
    s.schedule = schedule::scheduled(s.program).value();
    return s;
  }
  // As if it had been measured.
  void remember(const Scheduled& s, uint64_t ns) {
    KernelSearch(device(), options_, {.cache_folder = folder_}).keep_time(s.schedule, ns);
  }
  Result<std::optional<OwnSchedule>> faster(const Scheduled& s) {
    KernelSearch search(device(), options_, {.budget = std::chrono::milliseconds(1), .cache_folder = folder_});
    return faster_schedule(search, s.program, s.schedule, [&](const std::string& line) { said_ += line; });
  }

  std::filesystem::path folder_;
  ProgramOptions options_;
  std::string said_;
};

TEST_F(ScheduleSearchTest, TakesTheScheduleWhoseKernelsTakeLessTogether) {
  const Scheduled usual = softmax(0), partial = softmax(2);
  ASSERT_EQ(usual.schedule.calls.size(), 3U);
  ASSERT_EQ(partial.schedule.calls.size(), 1U);
  remember(usual, 3'000'000);
  remember(partial, 2'000'000);
  const auto found = faster(usual);
  ASSERT_OK(found);
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->schedule.calls.size(), 1U);
  EXPECT_EQ(said_, "3 kernels: 3.000 ms, in 1: 2.000 ms");
}

TEST_F(ScheduleSearchTest, KeepsTheUsualOneThatIsAsFast) {
  const Scheduled usual = softmax(0);
  remember(usual, 1'000'000);
  remember(softmax(2), 3'000'000);
  const auto found = faster(usual);
  ASSERT_OK(found);
  EXPECT_FALSE(*found);
}

TEST_F(ScheduleSearchTest, MeasuresBothAndRemembers) {
  const Scheduled usual = softmax(0);
  const auto found = faster(usual);
  ASSERT_OK(found);
  EXPECT_THAT(said_, HasSubstr("3 kernels: "));
  const KernelSearch again(device(), options_, {.cache_folder = folder_});
  const auto ours = again.known_time(usual.schedule), theirs = again.known_time(softmax(2).schedule);
  ASSERT_TRUE(ours && theirs);
  EXPECT_EQ(found->has_value(), *theirs < *ours);
}

TEST_F(ScheduleSearchTest, AProgramThatSaysHowFarItGoesIsLeftAlone) {
  const Scheduled asked = softmax(1);
  const auto found = faster(asked);
  ASSERT_OK(found);
  EXPECT_FALSE(*found);
  EXPECT_EQ(said_, "");
}

}  // namespace
}  // namespace rangescope::runtime
