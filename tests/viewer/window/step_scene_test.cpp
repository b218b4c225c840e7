#include "viewer/model/step_scene.h"

#include <gtest/gtest.h>

#include "tests/trace/recorded.h"
#include "viewer/model/node_label.h"

namespace rangescope::viewer {
namespace {

class StepSceneTest : public testing::Test {
 protected:
  void SetUp() override {
    trace::record_sample(folder_.file("t.rscope"));
    auto r = trace::Reader::open(folder_.file("t.rscope"));
    ASSERT_TRUE(r);
    reader_ = std::move(*r);
  }
  trace::Folder folder_;
  std::unique_ptr<trace::Reader> reader_;
};

TEST_F(StepSceneTest, KeysOfSurvivorsAreTheSameFromStepToStep) {
  const auto a = stepScene(*reader_, {2, 0}, {}), b = stepScene(*reader_, {2, 1}, {});
  ASSERT_TRUE(a && b);
  const auto key = [](const StepScene& s, const std::string& line) {
    for (const SceneNode& n : s.graph.nodes)
      for (const std::string& l : n.lines)
        if (l.starts_with(line)) return n.key;
    return uint32_t{0};
  };
  EXPECT_NE(key(*a, "v"), 0U);
  EXPECT_EQ(key(*a, "v"), key(*b, "v"));
}

TEST_F(StepSceneTest, AUserThatIsOnlyRebuiltSurvives) {
  // dropping the zero below the product rebuilds MUL and SINK: neither is new
  const auto scene = stepScene(*reader_, {2, 1}, {});
  ASSERT_TRUE(scene);
  for (const SceneNode& n : scene->graph.nodes) {
    if (n.title == "MUL" || n.title == "SINK") {
      EXPECT_EQ(n.state, NodeState::Normal) << n.title;
    }
  }
  // and the key still leads to the node as it is now
  for (const SceneNode& n : scene->graph.nodes)
    if (n.title == "MUL") {
      const UOp mul = reader_->store().at(scene->keys.node(n.key));
      EXPECT_EQ(mul.op(), Op::MUL);
      EXPECT_EQ(mul.src(0).op(), Op::BUFFER);
    }
}

TEST_F(StepSceneTest, AGroupAndAMissingPassAreErrorsThatSayWhatToDo) {
  const auto group = stepScene(*reader_, {1, 0}, {});
  ASSERT_FALSE(group);
  EXPECT_NE(group.error().message.find("below"), std::string::npos);
  EXPECT_FALSE(stepScene(*reader_, {99, 0}, {}));
}

TEST(NodeLabel, AStageSaysWhereItIsAndWhetherItMayGo) {
  Store store;
  const UOp v = store.variable("v", 0, 9);
  StageArg arg;
  arg.device = Device{{"NULL"}, false};
  EXPECT_EQ(argText(store.make(Op::STAGE, {v}, Arg(arg)), 60), "on NULL, removable");
  arg.removable = false;
  EXPECT_EQ(argText(store.make(Op::STAGE, {v}, Arg(arg)), 60), "on NULL, kept");
}

TEST(NodeLabel, NeverMoreThanFourShortLines) {
  Store store;
  UOp u = store.variable("a_variable_with_quite_a_long_name", 0, 9);
  for (int i = 0; i < 10000; ++i) u = store.make(Op::ADD, {u, store.constant(i)});
  const SceneNode n = labelled(store.make(Op::INDEX, {u, u, u}), Palette::Known, true);
  EXPECT_LE(n.lines.size(), 4U);
  for (const std::string& l : n.lines) EXPECT_LE(l.size(), 64U) << l;
}

}  // namespace
}  // namespace rangescope::viewer
