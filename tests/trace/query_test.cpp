#include "engine/trace/query.h"

#include <gtest/gtest.h>

#include "tests/trace/recorded.h"

namespace rangescope::trace {
namespace {

class QueryTest : public testing::Test {
 protected:
  void SetUp() override {
    record_sample(folder_.file("t.rscope"));
    auto r = Reader::open(folder_.file("t.rscope"));
    ASSERT_TRUE(r);
    reader_ = std::move(*r);
  }
  Folder folder_;
  std::unique_ptr<Reader> reader_;
};

TEST_F(QueryTest, ReadsTheDocumentedTables) {
  const auto r = query(
      *reader_,
      "SELECT p.name, r.name, count(*) FROM matches m JOIN passes p ON p.id = m.pass JOIN rules r ON r.id = m.rule "
      "GROUP BY p.id ORDER BY p.id");
  ASSERT_TRUE(r) << r.error().message;
  const std::vector<std::vector<std::string>> expected{{"clean", "add-zero", "2"}, {"double", "double-by-adding", "1"}};
  EXPECT_EQ(r->rows, expected);
}

TEST_F(QueryTest, UnpacksNodes) {
  const auto r =
      query(*reader_, "SELECT node_op(after), node_dtype(after), node_made_by(after) = id FROM matches WHERE pass = 3");
  ASSERT_TRUE(r) << r.error().message;
  const std::vector<std::vector<std::string>> expected{{"ADD", "weakint", "1"}};
  EXPECT_EQ(r->rows, expected);
}

TEST_F(QueryTest, WritesNothing) {
  for (const char* sql : {"DELETE FROM matches", "CREATE TABLE t(x)", "ATTACH 'x.db' AS x", "PRAGMA journal_mode=WAL",
                          "SELECT 1; DELETE FROM matches", "SELECT load_extension('x')", "VACUUM", ""})
    EXPECT_FALSE(query(*reader_, sql)) << sql;
  EXPECT_EQ((*query(*reader_, "SELECT count(*) FROM matches")).rows[0][0], "3");
}

TEST_F(QueryTest, StopsAtItsLimits) {
  const std::string endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT ";
  const auto rows = query(*reader_, endless + "x FROM c", {.rows = 5});
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->rows.size(), 5U);
  EXPECT_TRUE(rows->cut);
  const auto time = query(*reader_, endless + "count(*) FROM c", {.time = std::chrono::milliseconds(50)});
  ASSERT_FALSE(time);
  EXPECT_NE(time.error().message.find("50 ms"), std::string::npos);
}

}  // namespace
}  // namespace rangescope::trace
