#include "viewer/controllers/navigator.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

namespace rangescope::viewer {
namespace {

// A group (1) over two passes (2, 3), and a pass (4) of its own.
class NavigatorTest : public testing::Test {
 protected:
  NavigatorTest() : navigator_(model_) {
    std::vector<trace::Pass> passes(4);
    for (size_t i = 0; i < passes.size(); ++i) {
      passes[i].id = static_cast<int64_t>(i) + 1;
      passes[i].section = 1;
      passes[i].name = "pass " + std::to_string(i + 1);
      passes[i].matches = static_cast<int64_t>(i) * 10;
    }
    passes[0].group = true;
    passes[1].parent = passes[2].parent = 1;
    passes[2].matches = 0;
    model_.setTrace({{1, "schedule", "program", 0}}, passes);
    navigator_.setTrace({0, 10, 0, 30});
  }
  PassTreeModel model_;
  Navigator navigator_;
};

TEST_F(NavigatorTest, TheModelKeepsQtsRules) {
  const QAbstractItemModelTester tester(&model_, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model_.setHideEmpty(true);
  model_.setHideEmpty(false);
  EXPECT_EQ(model_.rowCount(), 1);
  EXPECT_EQ(model_.rowCount(model_.index(0, 0)), 2);
}

TEST_F(NavigatorTest, GroupsAndHiddenPassesAreSteppedOver) {
  EXPECT_EQ(model_.firstPass(), 2);
  EXPECT_EQ(model_.neighbour(2, 1), 3);
  model_.setHideEmpty(true);
  EXPECT_EQ(model_.neighbour(2, 1), 4);
  EXPECT_EQ(model_.neighbour(4, 1), 0);
}

TEST_F(NavigatorTest, StepsStayInThePass) {
  navigator_.go({2, 99});
  EXPECT_EQ(navigator_.address(), (StepAddress{2, 10}));
  navigator_.stepBy(-100);
  EXPECT_EQ(navigator_.address(), (StepAddress{2, 0}));
  navigator_.go({77, 1});
  EXPECT_EQ(navigator_.address(), (StepAddress{2, 0}));
}

TEST_F(NavigatorTest, BackLeadsToThePassBeforeNotThroughItsSteps) {
  navigator_.go({2, 1});
  navigator_.stepBy(1);
  navigator_.stepBy(1);
  navigator_.go({4, 5});
  navigator_.back();
  EXPECT_EQ(navigator_.address(), (StepAddress{2, 3}));
  EXPECT_FALSE(navigator_.canGoBack());
  navigator_.forward();
  EXPECT_EQ(navigator_.address(), (StepAddress{4, 5}));
}

}  // namespace
}  // namespace rangescope::viewer
