#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "engine/ir/json.h"
#include "tests/trace/recorded.h"

namespace rangescope::trace {
namespace {

TEST(Recording, WhatWasRecordedIsReadBack) {
  const Folder folder;
  const std::string path = folder.file("t.rscope");
  record_sample(path);
  EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
  EXPECT_FALSE(std::filesystem::exists(path + "-shm"));

  auto opened = Reader::open(path);
  ASSERT_TRUE(opened) << opened.error().message;
  Reader& r = **opened;
  EXPECT_TRUE(r.complete());
  ASSERT_EQ(r.passes().size(), 3U);
  EXPECT_TRUE(r.passes()[0].group);
  EXPECT_EQ(r.passes()[1].name, "clean");
  EXPECT_EQ(r.passes()[1].parent, 1);
  EXPECT_EQ(r.passes()[1].matches, 2);
  EXPECT_TRUE(r.passes()[2].bottom_up);
  EXPECT_EQ(r.passes()[2].depth, 1);
  ASSERT_EQ(r.rules().size(), 2U);
  EXPECT_EQ(r.rules()[0].name, "add-zero");
  EXPECT_EQ(r.rules()[0].ref, "uop/symbolic.py:131");
  EXPECT_NE(r.rules()[0].pattern.find("\"sources\":\"permuted\""), std::string::npos);

  // the graphs are the ones that the engine had
  Store store;
  const UOp root = sample_program(store);
  const UOp out = rewrite_sample(root);
  const auto text = [](UOp u) {
    NodeTable table;
    table.add(u);
    std::string s;
    table.append_json(s);
    return s;
  };
  EXPECT_EQ(text(*r.node(r.passes()[1].input)), text(root));
  EXPECT_EQ(text(*r.node(r.passes()[2].output)), text(out));
}

TEST(Recording, ANodeKnowsTheMatchThatMadeIt) {
  const Folder folder;
  const std::string path = folder.file("t.rscope");
  record_sample(path);
  auto r = Reader::open(path);
  ASSERT_TRUE(r);
  const auto matches = (*r)->matches(3, 0, 10);
  ASSERT_TRUE(matches);
  ASSERT_EQ(matches->size(), 1U);
  EXPECT_EQ(*(*r)->made_by((*matches)[0].after), (*matches)[0].id);
  EXPECT_EQ(*(*r)->made_by((*matches)[0].before), 0);  // rebuilt around v, by no rule
  EXPECT_EQ(*(*r)->made_by((*r)->passes()[1].input), 0);
  EXPECT_EQ(*(*r)->index_in_pass((*matches)[0]), 0);
}

TEST(Recording, TheSameRewriteGivesTheSameNodesAndMatches) {
  const Folder folder;
  record_sample(folder.file("a.rscope"));
  record_sample(folder.file("b.rscope"));
  auto a = Reader::open(folder.file("a.rscope")), b = Reader::open(folder.file("b.rscope"));
  ASSERT_TRUE(a && b);
  const auto dump = [](Reader& r) {
    std::string s;
    auto st = r.database().prepare("SELECT hex(data) FROM node_blocks ORDER BY first");
    while (*st->step()) s += st->text(0);
    auto m = r.database().prepare("SELECT id||' '||pass||' '||before||' '||after||' '||rule FROM matches ORDER BY id");
    while (*m->step()) s += std::string(m->text(0)) + "\n";
    return s;
  };
  EXPECT_EQ(dump(**a), dump(**b));
}

TEST(Recording, ARefusalEndsAtTheRuleThatRaised) {
  static const RuleSet refuse(
      "refuse", {{"refuse", "", "", pat(Op::MUL), [](const Match&) -> UOp { throw GraphError("cannot do this"); }}});
  const Folder folder;
  {
    Store store;
    auto recorder = Recorder::create(folder.file("t.rscope"), store);
    ASSERT_TRUE(recorder);
    const UOp root = sample_program(store);
    (*recorder)->begin_section("schedule", "sample", root);
    const ObserverScope scope(store, **recorder);
    EXPECT_THROW(graph_rewrite(root, refuse, {.name = "refusing"}), GraphError);
    ASSERT_TRUE((*recorder)->finish());
  }
  auto r = Reader::open(folder.file("t.rscope"));
  ASSERT_TRUE(r);
  ASSERT_EQ((*r)->errors().size(), 1U);
  EXPECT_EQ((*r)->errors()[0].message, "cannot do this");
  EXPECT_EQ((*r)->errors()[0].pass, 1);
  EXPECT_EQ((*r)->passes()[0].output, 0);
  const auto raised = (*r)->match((*r)->errors()[0].match);
  ASSERT_TRUE(raised && *raised);
  EXPECT_EQ((**raised).after, 0);
}

TEST(Recording, AKilledRecorderLeavesWhatItHadCommitted) {
  const Folder folder;
  const std::string path = folder.file("killed.rscope");
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    Store store;
    auto recorder = Recorder::create(path, store);
    const UOp root = sample_program(store);
    (*recorder)->begin_section("schedule", "sample", root);
    const ObserverScope scope(store, **recorder);
    graph_rewrite(root, drop_zero(), {.name = "clean"});
    (*recorder)->flush();
    (void)(*recorder)->writer().flush();
    (void)!write(ready[1], "x", 1);
    pause();  // until killed: nothing is closed
  }
  char c = 0;
  ASSERT_EQ(read(ready[0], &c, 1), 1);
  // a second process (this one) can follow the recording
  {
    auto live = Reader::open(path);
    ASSERT_TRUE(live) << live.error().message;
    EXPECT_FALSE((*live)->complete());
    EXPECT_EQ((*live)->match_count(), 2);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  auto r = Reader::open(path);
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_FALSE((*r)->complete());
  EXPECT_EQ((*r)->match_count(), 2);
  EXPECT_TRUE((*r)->node((*r)->passes()[0].output));
  close(ready[0]);
  close(ready[1]);
}

TEST(Recording, AFileThatIsNoTraceIsNotOverwritten) {
  const Folder folder;
  const std::string path = folder.file("notes.txt");
  std::ofstream(path) << "do not lose me";
  Store store;
  const auto recorder = Recorder::create(path, store);
  ASSERT_FALSE(recorder);
  EXPECT_NE(recorder.error().message.find("not a trace"), std::string::npos);
  std::ifstream in(path);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(text, "do not lose me");
}

TEST(Recording, ATraceThatIsRecordedAgainStaysUntilTheNewOneIsClosed) {
  const Folder folder;
  const std::string path = folder.file("t.rscope"), old = path + ".old";
  record_sample(path);
  {
    Store store;
    const auto recorder = Recorder::create(path, store);
    ASSERT_TRUE(recorder) << recorder.error().message;
    const auto before = Reader::open(old);
    ASSERT_TRUE(before) << before.error().message;
    EXPECT_TRUE((*before)->complete());
  }
  EXPECT_TRUE(std::filesystem::exists(old));  // the second was never closed
  record_sample(path);
  EXPECT_FALSE(std::filesystem::exists(old));

  std::ofstream(old) << "do not lose me";
  Store store;
  EXPECT_FALSE(Recorder::create(path, store));
  EXPECT_TRUE(Reader::open(path));
  EXPECT_EQ(std::filesystem::file_size(old), 14U);
}

TEST(Recording, APathThatCannotBeWrittenIsAnError) {
  Store store;
  const auto recorder = Recorder::create("/nonexistent-folder/t.rscope", store);
  ASSERT_FALSE(recorder);
  EXPECT_NE(recorder.error().message.find("/nonexistent-folder/t.rscope"), std::string::npos);
}

TEST(Recording, ManyMatchesKeepTheirOrder) {
  const Folder folder;
  {
    Store store;
    auto recorder = Recorder::create(folder.file("t.rscope"), store);
    ASSERT_TRUE(recorder);
    UOp u = store.variable("v", 0, 9);
    UOps all;
    for (int i = 0; i < 40000; ++i)
      all.push_back(store.make(Op::ADD, {store.variable("v" + std::to_string(i), 0, 9), store.constant(0)}));
    u = store.sink(all);
    (*recorder)->begin_section("schedule", "many", u);
    const ObserverScope scope(store, **recorder);
    graph_rewrite(u, drop_zero(), {.name = "clean"});
    EXPECT_EQ((*recorder)->match_count(), 40000);
    ASSERT_TRUE((*recorder)->finish());
  }
  auto r = Reader::open(folder.file("t.rscope"));
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ((*r)->match_count(), 40000);
  EXPECT_EQ((*r)->passes()[0].matches, 40000);
  const auto m = (*r)->matches(1, 39999, 5);
  ASSERT_TRUE(m);
  ASSERT_EQ(m->size(), 1U);
  EXPECT_EQ((*r)->node((*m)[0].after)->expr(), "v39999");
}

}  // namespace
}  // namespace rangescope::trace
