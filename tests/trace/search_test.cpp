#include "engine/trace/search.h"

#include <gtest/gtest.h>

#include "engine/trace/step.h"
#include "tests/trace/recorded.h"

namespace rangescope::trace {
namespace {

class SearchTest : public testing::Test {
 protected:
  void SetUp() override {
    record_sample(folder_.file("t.rscope"));
    auto s = Searcher::open(folder_.file("t.rscope"));
    ASSERT_TRUE(s) << s.error().message;
    searcher_ = std::move(*s);
  }
  // "kind pass:step title" of each hit.
  std::vector<std::string> find(std::string_view text, size_t per_kind = 100) {
    std::vector<std::string> out;
    const auto query = parse_search(text);
    if (!query) return {query.error().message};
    hits_.clear();
    const auto summary = searcher_->run(*query, per_kind, [&](SearchUpdate&& u) {
      for (SearchHit& h : u.hits) hits_.push_back(std::move(h));
    });
    if (!summary) return {summary.error().message};
    summary_ = *summary;
    for (const SearchHit& h : hits_)
      out.push_back(std::string(hit_kind_name(h.kind)) + " " + std::to_string(h.place.pass) + ":" +
                    std::to_string(h.place.step) + " " + h.title);
    return out;
  }
  using Lines = std::vector<std::string>;

  Folder folder_;
  std::unique_ptr<Searcher> searcher_;
  std::vector<SearchHit> hits_;
  SearchSummary summary_;
};

TEST_F(SearchTest, AWordIsLookedForEverywhere) {
  EXPECT_EQ(find("double"), (Lines{"pass 3:1 double", "rule 0:0 double-by-adding"}));
  EXPECT_EQ(find("clean"), (Lines{"pass 2:1 clean"}));
  EXPECT_EQ(find("sample"), (Lines{"pass 2:1 sample"}));  // a group leads to the first pass below it

  EXPECT_EQ(find("\"symbolic.py:131\""), (Lines{"rule 0:0 add-zero"}));
  EXPECT_EQ(find("CLEAN -clean"), Lines{});
}

TEST_F(SearchTest, NodesByOpDtypeShapeAndArgument) {
  const Lines adds = find("op:ADD");
  ASSERT_EQ(adds.size(), 3U);  // two in the input, one made by the second pass
  EXPECT_EQ(adds[0], "node 2:0 ADD weakint");
  EXPECT_EQ(adds[2], "node 3:1 ADD weakint");
  EXPECT_NE(hits_[2].detail.find("made by double-by-adding"), std::string::npos) << hits_[2].detail;
  EXPECT_EQ(hits_[2].match, 3);
  EXPECT_EQ(find("op:add rule:double"), (Lines{"node 3:1 ADD weakint"}));
  EXPECT_EQ(find("op:MUL,SINK pass:clean").size(), 4U);  // as in the input, and rebuilt
  EXPECT_EQ(find("op:alu dtype:float32"), Lines{});
  EXPECT_EQ(find("op:alu -op:ADD dtype:weak pass:clean").size(), find("op:MUL pass:clean").size());
  EXPECT_EQ(find("op:CONST arg:=2").size(), 1U);
  EXPECT_EQ(find("op:CONST -arg:=2").size(), find("op:CONST").size() - 1);
  EXPECT_EQ(find("arg:'v'").size(), 1U);
  EXPECT_EQ(find("shape:() op:ADD").size(), 3U);
  EXPECT_EQ(find("shape:4 op:ADD"), Lines{});
  EXPECT_EQ(find("node:1").size(), 1U);
}

TEST_F(SearchTest, StepsByRuleOpsAndNode) {
  EXPECT_EQ(find("is:step rule:add-zero"), (Lines{"step 2:1 add-zero", "step 2:2 add-zero"}));
  EXPECT_EQ(find("rule:=add-zero"), (Lines{"rule 0:0 add-zero", "step 2:1 add-zero", "step 2:2 add-zero"}));
  EXPECT_EQ(find("is:step pass:double"), (Lines{"step 3:1 double-by-adding"}));
  EXPECT_EQ(find("before:MUL after:ADD"), (Lines{"step 3:1 double-by-adding"}));
  EXPECT_EQ(find("is:first"), (Lines{"step 2:1 add-zero"}));
  EXPECT_EQ(find("is:first op:ADD"), (Lines{"step 3:1 double-by-adding"}));  // the first that makes one
  EXPECT_EQ(find("is:step time:>100s"), Lines{});
  EXPECT_EQ(find("time:<100s").size(), 3U);
  EXPECT_EQ(find("before:MUL")[0], "step 3:1 double-by-adding");
  const int64_t made = hits_[0].node;
  EXPECT_EQ(find("touches:" + std::to_string(made)), (Lines{"step 3:1 double-by-adding"}));
}

TEST_F(SearchTest, MistakesAreExplained) {
  const auto says = [&](std::string_view query) { return find(query).at(0); };
  EXPECT_NE(says("opp:ADD").find("Did you mean op?"), std::string::npos);
  EXPECT_NE(says("op:REDUCD").find("Did you mean REDUCE?"), std::string::npos);
  EXPECT_NE(says("dtype:flaot32").find("Did you mean float32?"), std::string::npos);
  EXPECT_NE(says("shape:64,x").find("shape: takes sizes"), std::string::npos);
  EXPECT_NE(says("is:nodes").find("is: takes pass, rule"), std::string::npos);
  EXPECT_NE(says("time:10").find("time: takes a bound with a unit"), std::string::npos);
  EXPECT_NE(says("touches:x").find("takes the number of a node"), std::string::npos);
  EXPECT_NE(says("pass:\"clean").find("a quote"), std::string::npos);
  EXPECT_NE(says("op:").find("op: wants a value, as in op:REDUCE"), std::string::npos);
  EXPECT_NE(says("is:pass op:ADD").find("do not go together"), std::string::npos);
  EXPECT_NE(says("node:99999").find("there is no node 99999"), std::string::npos);
}

TEST_F(SearchTest, HitsAreLimitedAndCounted) {
  EXPECT_EQ(find("time:<100s", 2).size(), 2U);
  EXPECT_TRUE(summary_.cut);
  EXPECT_EQ(summary_.found[static_cast<size_t>(HitKind::Step)], 3);
}

TEST_F(SearchTest, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  const auto summary = searcher_->run(*parse_search("op:ADD"), 10, {}, stop.get_token());
  ASSERT_TRUE(summary);
  EXPECT_TRUE(summary->stopped);
}

// Every node's place is a step whose graph, or whose replaced node, holds it.
TEST_F(SearchTest, ANodeIsWhereItsPlaceSays) {
  ASSERT_TRUE(searcher_->complete({}, {}));
  Reader& r = searcher_->reader();
  for (int64_t n = 1; n <= r.node_count(); ++n) {
    const Place place = searcher_->index().place_of_node(n);
    ASSERT_NE(place.pass, 0) << n;
    const Pass& pass = *r.pass(place.pass);
    std::vector<std::pair<UOp, UOp>> map;
    const auto matches = r.matches(place.pass, 0, place.step);
    ASSERT_TRUE(matches);
    for (const StepMatch& m : *matches) map.emplace_back(*r.node(m.before), *r.node(m.after));
    const auto graph = graph_after(*r.node(pass.input), map, {pass.bottom_up, pass.walk, pass.enter_calls});
    ASSERT_TRUE(graph);
    EXPECT_TRUE(graph->in_backward_slice_with_self(*r.node(n))) << "node " << n;
  }
}

TEST(SearchQueryTest, NamesAndShapes) {
  const NameTest part{{"buffer"}}, whole{{"=buffer"}}, pattern{{"b*r"}};
  EXPECT_TRUE(part("remove-BUFFERize"));
  EXPECT_FALSE(whole("remove-bufferize"));
  EXPECT_TRUE(whole("Buffer"));
  EXPECT_TRUE(pattern("buffer"));
  EXPECT_FALSE(pattern("buffers"));
  const auto shape = [](std::string_view s) { return parse_search("shape:" + std::string(s))->shape.at(0); };
  EXPECT_TRUE(shape("64,*")({64, 3}));
  EXPECT_FALSE(shape("64,*")({64}));
  EXPECT_TRUE(shape("(64, ...)")({64}));
  EXPECT_TRUE(shape("...,3")({64, 3}));
  EXPECT_FALSE(shape("...,3")({64, 4}));
  EXPECT_TRUE(shape("()")({}));
  EXPECT_FALSE(parse_search("-shape:64")->shape.at(0)({64}));
}

}  // namespace
}  // namespace rangescope::trace
