// Files from strangers: whatever is in them, the reader gives an error or an answer, never a crash.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>

#include "engine/trace/query.h"
#include "tests/trace/recorded.h"

namespace rangescope::trace {
namespace {

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {(std::istreambuf_iterator<char>(in)), {}};
}
void spill(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Reads everything there is; true where nothing was refused.
bool read_all(const std::string& path) {
  auto opened = Reader::open(path);
  if (!opened) return false;
  Reader& r = **opened;
  bool ok = true;
  for (const Pass& p : r.passes()) {
    const auto matches = r.matches(p.id, 0, 1000);
    ok = ok && matches.has_value();
    if (p.input != 0) ok = ok && r.node(p.input).has_value();
    if (matches)
      for (const StepMatch& m : *matches)
        ok = ok && r.node(m.before).has_value() && (m.after == 0 || r.node(m.after).has_value());
  }
  return ok;
}

TEST(Stranger, OtherFilesAreNamedForWhatTheyAre) {
  const Folder folder;
  const auto message = [&](const std::string& path) {
    const auto r = Reader::open(path);
    return r ? std::string("opened") : r.error().message;
  };
  EXPECT_NE(message(folder.file("missing.rscope")).find("there is no file"), std::string::npos);
  EXPECT_NE(message(folder.file("")).find("folder"), std::string::npos);
  spill(folder.file("text.rscope"), std::string(5000, 'x'));
  EXPECT_NE(message(folder.file("text.rscope")).find("not a trace"), std::string::npos);
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(folder.file("other.rscope").c_str(), &db), SQLITE_OK);
  sqlite3_exec(db, "CREATE TABLE t(x)", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  EXPECT_NE(message(folder.file("other.rscope")).find("another SQLite database"), std::string::npos);
}

TEST(Stranger, ANewerFormatIsRefusedByNumber) {
  const Folder folder;
  record_sample(folder.file("t.rscope"));
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(folder.file("t.rscope").c_str(), &db), SQLITE_OK);
  sqlite3_exec(db, "PRAGMA user_version=99", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  const auto r = Reader::open(folder.file("t.rscope"));
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message.find("99"), std::string::npos);
}

TEST(Stranger, ATruncatedFileIsRefused) {
  const Folder folder;
  record_sample(folder.file("t.rscope"));
  const std::string whole = slurp(folder.file("t.rscope"));
  for (const size_t keep :
       {size_t{0}, size_t{10}, size_t{100}, whole.size() / 4, whole.size() / 2, whole.size() - 8192}) {
    spill(folder.file("cut.rscope"), whole.substr(0, keep));
    EXPECT_FALSE(read_all(folder.file("cut.rscope"))) << keep << " of " << whole.size();
  }
}

TEST(Stranger, IdsAndSizesAreChecked) {
  const Folder folder;
  record_sample(folder.file("t.rscope"));
  const std::string whole = slurp(folder.file("t.rscope"));
  const std::string path = folder.file("bad.rscope");
  for (const char* sql :
       {"UPDATE matches SET after = 1000000000", "UPDATE matches SET before = -5",
        "UPDATE passes SET parent = 77 WHERE id = 2", "UPDATE passes SET id = 9 WHERE id = 3",
        "UPDATE node_blocks SET count = 1000000000", "UPDATE node_blocks SET count = -1",
        "UPDATE node_blocks SET data = x'ffffffffffffffffffff'", "UPDATE node_blocks SET data = x''",
        "UPDATE args SET json = '{'", "DELETE FROM args", "UPDATE node_blocks SET first = 5", "DROP TABLE matches"}) {
    spill(path, whole);
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    sqlite3_close(db);
    EXPECT_FALSE(read_all(path)) << sql;
  }
}

TEST(Stranger, FlippedBytesNeverCrashTheReader) {
  const Folder folder;
  record_sample(folder.file("t.rscope"));
  const std::string whole = slurp(folder.file("t.rscope"));
  uint32_t state = 12345;
  const auto next = [&](size_t n) { return (state = state * 1664525 + 1013904223) / 16 % n; };
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole;
    for (size_t k = 0; k < 1 + next(6); ++k) bytes[next(bytes.size())] = static_cast<char>(next(256));
    spill(folder.file("bad.rscope"), bytes);
    (void)read_all(folder.file("bad.rscope"));
  }
}

TEST(Stranger, AViewOfTheFilesOwnRunsNoFunctions) {
  const Folder folder;
  record_sample(folder.file("t.rscope"));
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(folder.file("t.rscope").c_str(), &db), SQLITE_OK);
  sqlite3_exec(db, "CREATE VIEW trap AS SELECT node_op(1) AS x", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  auto r = Reader::open(folder.file("t.rscope"));
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_FALSE(query(**r, "SELECT x FROM trap"));
}

}  // namespace
}  // namespace rangescope::trace
