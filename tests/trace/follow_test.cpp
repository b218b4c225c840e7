// A file that is read while it is written.

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "engine/rewrite/decisions.h"
#include "engine/trace/describe.h"
#include "engine/trace/realized.h"
#include "tests/trace/recorded.h"

namespace rangescope::trace {
namespace {

TEST(Follow, WhatIsCommittedIsSeenAndTheFileIsWholeInTheEnd) {
  const Folder folder;
  const std::string path = folder.file("t.rscope");
  Store store;
  auto recorder = Recorder::create(path, store);
  ASSERT_TRUE(recorder) << recorder.error().message;
  const UOp root = sample_program(store);
  (*recorder)->begin_section("schedule", "sample", root);
  (*recorder)->flush();
  ASSERT_TRUE((*recorder)->writer().flush());

  auto reader = Reader::open(path);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_FALSE((*reader)->complete());
  EXPECT_TRUE((*reader)->passes().empty());
  EXPECT_FALSE(*(*reader)->refresh());  // nothing new

  const ObserverScope scope(store, **recorder);
  const UOp clean = graph_rewrite(root, drop_zero(), {.name = "clean"});
  // a pass that is under way: its matches are counted as they come
  (*recorder)->pass_begin({.name = "open"}, clean);
  const UOp two = store.constant(2);
  for (int i = 0; i < 3; ++i) {
    const UOp before = store.make(Op::MUL, {store.constant(100 + i), two}), after = store.constant(200 + 2 * i);
    (*recorder)->rule_matched(*double_by_adding().entries()[0].rule, before, after, 1);
    (*recorder)->flush();
    ASSERT_TRUE((*recorder)->writer().flush());
    ASSERT_TRUE(*(*reader)->refresh());
    ASSERT_EQ((*reader)->passes().size(), 2U);
    EXPECT_EQ((*reader)->passes()[0].matches, 2);
    EXPECT_EQ((*reader)->passes()[1].matches, i + 1);
    EXPECT_EQ((*reader)->matches(2, i, 1)->size(), 1U);
  }
  const auto seen = (*reader)->node((*reader)->passes()[1].input);
  ASSERT_TRUE(seen);

  // closing waits for the reader to let go, and the reader for the log to be gone
  std::thread closing([&] { EXPECT_TRUE((*recorder)->finish()); });
  for (int i = 0; i < 500 && !(*reader)->complete(); ++i) {
    ASSERT_TRUE((*reader)->refresh());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_TRUE((*reader)->complete());
  ASSERT_TRUE((*reader)->reopen());
  closing.join();
  EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
  EXPECT_EQ((*reader)->passes()[1].matches, 3);
  EXPECT_EQ(*(*reader)->node((*reader)->passes()[1].input), *seen);  // nodes stay what they were
}

TEST(Follow, AReaderThatHoldsTheFileDoesNotSpoilTheRecording) {
  const Folder folder;
  const std::string path = folder.file("t.rscope");
  Store store;
  auto recorder = Recorder::create(path, store);
  ASSERT_TRUE(recorder);
  (*recorder)->begin_section("schedule", "sample", sample_program(store));
  (*recorder)->flush();
  ASSERT_TRUE((*recorder)->writer().flush());
  auto reader = Reader::open(path);
  ASSERT_TRUE(reader);
  const auto finished = (*recorder)->finish();
  ASSERT_TRUE(finished) << finished.error().message;
  recorder->reset();
  ASSERT_TRUE(*(*reader)->refresh());
  EXPECT_TRUE((*reader)->complete());
  reader->reset();
  auto again = Reader::open(path);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE((*again)->complete());
}

TEST(Follow, ReasonsAreKeptBesideTheFormat) {
  const Folder folder;
  const std::string path = folder.file("t.rscope");
  {
    Store store;
    auto recorder = Recorder::create(path, store);
    ASSERT_TRUE(recorder);
    const UOp root = sample_program(store);
    (*recorder)->begin_section("schedule", "sample", root);
    decisions(store).realized(root.src(0), {}, "two users read it over different ranges");
    ASSERT_TRUE((*recorder)->finish());
    EXPECT_FALSE(decisions(store).realized);  // nobody listens any more
  }
  auto reader = Reader::open(path);
  ASSERT_TRUE(reader);
  const auto rows = realized(**reader);
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ((*rows)[0].reason, "two users read it over different ranges");
  EXPECT_EQ((*reader)->node((*rows)[0].node)->op(), Op::MUL);
  // most traces say nothing
  record_sample(folder.file("u.rscope"));
  auto other = Reader::open(folder.file("u.rscope"));
  ASSERT_TRUE(other);
  EXPECT_TRUE(realized(**other)->empty());
}

TEST(Describe, KernelsAreNamedWithoutTheColoursOfTerminals) {
  EXPECT_EQ(without_colors("r\x1b[90m_\x1b[0m\x1b[34m2\x1b[0m"), "r_2");
  EXPECT_EQ(without_colors("name='E\\x1b[90m_\\x1b[0m4'"), "name='E_4'");
  EXPECT_EQ(without_colors("a[m \x1b[ \x1b[3"), "a[m \x1b[ \x1b[3");
}

}  // namespace
}  // namespace rangescope::trace
