#include "engine/trace/times.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/trace/kernel_rows.h"
#include "tests/trace/recorded.h"

namespace rangescope::trace {
namespace {

TEST(TimeStatistics, QuantilesAreMeasuredValues) {
  const TimeStatistics t = statistics({50, 10, 30, 20, 40});
  EXPECT_EQ(t.n, 5);
  EXPECT_EQ(t.min, 10);
  EXPECT_EQ(t.median, 30);
  EXPECT_EQ(t.p95, 50);
  EXPECT_EQ(t.max, 50);
  EXPECT_EQ(t.spread, 20);
  EXPECT_EQ(statistics({}).n, 0);
  std::vector<int64_t> twenty;
  for (int64_t i = 1; i <= 20; ++i) twenty.push_back(i);
  EXPECT_EQ(statistics(twenty).p95, 19);
}

// Item 1 is a kernel, item 2 a precompiled call of that kernel and a copy.
class TimesTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = folder_.file("t.rscope");
    record_sample(path_);
    auto writer = Writer::append(path_);
    ASSERT_TRUE(writer) << writer.error().message;
    (*writer)->post([](Database& db) -> Result<void> {
      KernelRow k;
      k.id = 1;
      k.name = "r_4";
      k.ops = 6000;
      k.bytes = 3000;
      if (auto r = insert_kernels(db, {k}); !r) return r;
      if (auto r = insert_schedule(db, {{1, "kernel", 0, 1, {}}, {2, "call", 0, 1, {}}}); !r) return r;
      if (auto r =
              insert_launches(db, {{1, 0, 1, 6000, 3000, 9000}, {2, 0, 1, 6000, 3000, 9000}, {2, 1, 0, 0, 64, 64}});
          !r)
        return r;
      RunRow run;
      run.device = "test device";
      run.dispatches = {{1, 0, 0, 900, true, 0},     {1, 0, 0, 300, false, 5000}, {1, 0, 1, 200, false, 9000},
                        {2, 0, 0, 1000, true, 1000}, {2, 0, 0, 100, false, 6000}, {2, 0, 1, 400, false, 9300},
                        {2, 1, 0, 50, true, 3000},   {2, 1, 0, 30, false, 7000},  {2, 1, 1, 40, false, 9800}};
      return insert_run(db, run);
    });
    ASSERT_TRUE((*writer)->close());
    auto opened = Reader::open(path_);
    ASSERT_TRUE(opened) << opened.error().message;
    reader_ = std::move(*opened);
  }

  Folder folder_;
  std::string path_;
  std::unique_ptr<Reader> reader_;
};

TEST_F(TimesTest, ACallTakesAsLongAsItsPartsTogether) {
  const auto times = item_times(*reader_, 1);
  ASSERT_TRUE(times) << times.error().message;
  ASSERT_EQ(times->size(), 2U);
  EXPECT_EQ((*times)[0].times.n, 2);
  EXPECT_EQ((*times)[0].times.median, 200);
  EXPECT_EQ((*times)[0].first_warm_up, 900);
  EXPECT_EQ((*times)[1].times.n, 2);  // not four: a repeat is one time
  EXPECT_EQ((*times)[1].times.median, 130);
  EXPECT_EQ((*times)[1].times.max, 440);
  EXPECT_EQ((*times)[1].ops, 6000);
  EXPECT_EQ((*times)[1].bytes, 3064);
  EXPECT_DOUBLE_EQ(rate((*times)[0].ops, (*times)[0].times.median).value(), 30);
}

TEST_F(TimesTest, TheViewGivesTheSameStatistics) {
  auto s = reader_->database().prepare(
      "SELECT n, min_ns, median_ns, p95_ns, max_ns, spread_ns FROM dispatch_times "
      "WHERE item=2 AND part=0");
  ASSERT_TRUE(s);
  ASSERT_TRUE(*s->step());
  const TimeStatistics t = statistics({100, 400});
  for (int i = 0; const int64_t v : {t.n, t.min, t.median, t.p95, t.max, t.spread}) EXPECT_EQ(s->integer(i++), v) << i;
}

TEST_F(TimesTest, CsvHasALineALaunch) {
  const auto csv = times_csv(*reader_);
  ASSERT_TRUE(csv) << csv.error().message;
  std::istringstream lines(*csv);
  std::string header, first, second, third, more;
  std::getline(lines, header), std::getline(lines, first), std::getline(lines, second), std::getline(lines, third);
  EXPECT_EQ(header.substr(0, 30), "run,device,item,part,kind,kern");
  EXPECT_EQ(first, "1,\"test device\",1,0,kernel,\"r_4\",2,200,200,300,300,100,900,6000,3000,9000,30.0000,15.0000");
  EXPECT_EQ(third, "1,\"test device\",2,1,call,\"copy\",2,30,30,40,40,10,50,0,64,64,0.0000,2.1333");
  EXPECT_FALSE(std::getline(lines, more));
}

TEST_F(TimesTest, PerfettoEventsStandWhereTheyWereMeasured) {
  const auto text = times_perfetto(*reader_);
  ASSERT_TRUE(text) << text.error().message;
  const auto json = nlohmann::json::parse(*text);
  std::vector<double> starts;
  int metadata = 0;
  for (const auto& e : json["traceEvents"]) {
    if (e["ph"] == "M") ++metadata;
    if (e["ph"] != "X") continue;
    starts.push_back(e["ts"]);
    if (e["ts"] == 9.0) {
      EXPECT_EQ(e["name"], "r_4");
      EXPECT_EQ(e["dur"], 0.2);
      EXPECT_EQ(e["args"]["ops"], 6000);
    }
  }
  EXPECT_EQ(metadata, 2);
  EXPECT_EQ(starts.size(), 9U);
  EXPECT_TRUE(std::ranges::is_sorted(starts));
}

// tests/trace/data/version1.rscope was recorded before there were launches and starts.
TEST(OldFormat, IsReadWithWhatItHas) {
  const Folder folder;
  const std::string path = folder.file("old.rscope");
  std::filesystem::copy_file(RANGESCOPE_SOURCE_DIR "/tests/trace/data/version1.rscope", path);
  auto r = Reader::open(path);
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ((*r)->match_count(), 169);
  const auto last = (*r)->passes().back();
  EXPECT_TRUE((*r)->node(last.output));
  const auto times = item_times(**r, 1);
  ASSERT_TRUE(times) << times.error().message;
  ASSERT_EQ(times->size(), 1U);
  EXPECT_EQ((*times)[0].times.n, 3);
  EXPECT_EQ((*times)[0].times.median, 70233);
  EXPECT_FALSE((*times)[0].ops);
  EXPECT_TRUE(times_csv(**r));
  EXPECT_TRUE(times_perfetto(**r));
  EXPECT_FALSE(Writer::append(path));
}

}  // namespace
}  // namespace rangescope::trace
