#include "engine/trace/provenance.h"

#include <gtest/gtest.h>

#include "engine/trace/pathologies.h"
#include "tests/trace/recorded.h"

namespace rangescope::trace {
namespace {

class ProvenanceTest : public testing::Test {
 protected:
  void open(const std::string& path) {
    auto s = Searcher::open(path);
    ASSERT_TRUE(s) << s.error().message;
    searcher_ = std::move(*s);
  }
  int64_t find(std::string_view query) {
    int64_t node = 0;
    EXPECT_TRUE(searcher_->run(*parse_search(query), 10, [&](SearchUpdate&& u) {
      for (const SearchHit& h : u.hits) node = h.node;  // the last
    }));
    return node;
  }
  static std::vector<std::string> lines(const std::vector<ProvenanceHop>& hops) {
    std::vector<std::string> out;
    out.reserve(hops.size());
    for (const ProvenanceHop& h : hops)
      out.push_back(std::to_string(h.place.pass) + ":" + std::to_string(h.place.step) + " " + h.how + " " + h.title);
    return out;
  }
  using Lines = std::vector<std::string>;

  Folder folder_;
  std::unique_ptr<Searcher> searcher_;
};

TEST_F(ProvenanceTest, BackThroughTheRewritesToTheProgram) {
  record_sample(folder_.file("t.rscope"));
  open(folder_.file("t.rscope"));
  // v + v was made from v * 2, which is (v + 0) * 2 around a new source
  const auto p = provenance(*searcher_, find("op:ADD rule:double"));
  ASSERT_TRUE(p && *p);
  EXPECT_EQ(lines((*p)->path), (Lines{"2:0 in the program MUL weakint", "2:2 rebuilt around new sources MUL weakint",
                                      "3:1 made by double-by-adding ADD weakint"}));
  EXPECT_EQ((*p)->self, 2U);
}

TEST_F(ProvenanceTest, OnThroughTheRewritesThatReplacedIt) {
  record_sample(folder_.file("t.rscope"));
  open(folder_.file("t.rscope"));
  int64_t product = 0;  // the first MUL is the program's
  EXPECT_TRUE(searcher_->run(*parse_search("op:MUL"), 1, [&](SearchUpdate&& u) {
    for (const SearchHit& h : u.hits) product = h.node;
  }));
  const auto p = provenance(*searcher_, product);
  ASSERT_TRUE(p && *p);
  EXPECT_EQ(lines((*p)->path), (Lines{"2:0 in the program MUL weakint", "3:1 made by double-by-adding ADD weakint"}));
  EXPECT_EQ((*p)->self, 0U);
}

// On a recorded program that ran: one kernel.
TEST_F(ProvenanceTest, LeadsToTheKernel) {
  open(RANGESCOPE_SOURCE_DIR "/tests/trace/data/version2.rscope");
  const int64_t nodes = searcher_->reader().node_count();
  bool reached = false, from_program = false;
  for (int64_t n = 1; n <= nodes; ++n) {
    const auto p = provenance(*searcher_, n);
    ASSERT_TRUE(p) << n << ": " << p.error().message;
    ASSERT_TRUE(*p);
    const auto& path = (*p)->path;
    ASSERT_FALSE(path.empty()) << n;
    if (path.back().kind == ProvenanceHop::Kind::Kernel) {
      reached = true;
      EXPECT_EQ(path.back().item, 1);
    }
    from_program = from_program || ((*p)->self > 0 && path.front().kind == ProvenanceHop::Kind::Input);
  }
  EXPECT_TRUE(reached);
  EXPECT_TRUE(from_program);
}

TEST_F(ProvenanceTest, SaysWhereThereIsNoSuchNode) {
  record_sample(folder_.file("t.rscope"));
  open(folder_.file("t.rscope"));
  const auto p = provenance(*searcher_, 99999);
  ASSERT_FALSE(p);
  EXPECT_NE(p.error().message.find("there is no node 99999"), std::string::npos);
}

// MUL by 2 to ADD, and a second rule that turns the first such ADD back.
TEST_F(ProvenanceTest, PathologiesAreListed) {
  {
    Store store;
    auto recorder = Recorder::create(folder_.file("u.rscope"), store);
    ASSERT_TRUE(recorder);
    const UOp v = store.variable("v", 0, 9);
    const UOp product = store.make(Op::MUL, {v, store.constant(2)}), sum = store.make(Op::ADD, {v, v});
    const UOp root = store.sink(UOps{product});
    (*recorder)->begin_section("schedule", "undo", root);
    const Rule& rule = *double_by_adding().entries()[0].rule;
    PassInfo info;
    info.name = "there and back";
    (*recorder)->pass_begin(info, root);
    (*recorder)->rule_matched(rule, product, sum, 3000);
    (*recorder)->rule_matched(rule, sum, product, 1000);
    (*recorder)->rule_matched(rule, product, sum, 1000);
    (*recorder)->pass_end(store.sink(UOps{sum}));
    info.name = "idle";
    (*recorder)->pass_begin(info, root);
    (*recorder)->pass_end(root);
    ASSERT_TRUE((*recorder)->finish());
  }
  open(folder_.file("u.rscope"));
  double last = 0;
  const auto p = pathologies(*searcher_, [&](double done) { last = done; });
  ASSERT_TRUE(p && *p);
  EXPECT_GT(last, 0);
  ASSERT_EQ((*p)->rules.size(), 1U);
  EXPECT_EQ((*p)->rules[0].fired, 3);
  EXPECT_EQ((*p)->rules[0].ns, 5000);
  EXPECT_EQ((*p)->rules[0].share, 1);
  ASSERT_EQ((*p)->idle.size(), 1U);
  EXPECT_EQ((*p)->idle[0].name, "idle");
  ASSERT_EQ((*p)->undone.size(), 1U);
  EXPECT_EQ((*p)->undone[0].times, 2);
  EXPECT_EQ((*p)->undone[0].done, (Place{1, 1}));
  EXPECT_EQ((*p)->undone[0].undone, (Place{1, 2}));
  ASSERT_EQ((*p)->growth.size(), 1U);
  EXPECT_EQ((*p)->growth[0].before - (*p)->growth[0].after, 1);  // the constant is gone
}

}  // namespace
}  // namespace rangescope::trace
