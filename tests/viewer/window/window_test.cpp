// The window as a person uses it: clicks and keys on a recorded trace.

#include <QAbstractItemView>
#include <QAction>
#include <QDialog>
#include <QFile>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSlider>
#include <QStatusBar>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeView>

#include "engine/ir/op.h"
#include "tests/viewer/window/window_fixture.h"
#include "viewer/panels/inspector_panel.h"
#include "viewer/panels/kernel_panel.h"
#include "viewer/panels/pass_tree_panel.h"
#include "viewer/panels/rule_panel.h"
#include "viewer/panels/timeline_bar.h"

namespace rangescope::viewer {
namespace {

TEST_F(WindowTest, OpensAtTheFirstMatchOfTheFirstPass) {
  open();
  EXPECT_EQ(window_.navigator().address(), (StepAddress{2, 1}));
  EXPECT_EQ(where(), QStringLiteral("match 1 of 2"));
  EXPECT_TRUE(window_.canvas().frame());
  EXPECT_EQ(window_.findChild<QLabel*>(QStringLiteral("ruleName"))->text(), QStringLiteral("add-zero"));
  EXPECT_TRUE(window_.rulePanel().toPlainText().contains(QStringLiteral("x + 0 is x")));
  EXPECT_TRUE(window_.rulePanel().toPlainText().contains(QStringLiteral("uop/symbolic.py:131")));
}

TEST_F(WindowTest, ArrowKeysGoFromMatchToMatchAndPassToPass) {
  open();
  key(Qt::Key_Right);
  EXPECT_EQ(window_.navigator().address(), (StepAddress{2, 2}));
  key(Qt::Key_Right);  // the last match: nothing further
  EXPECT_EQ(window_.navigator().address(), (StepAddress{2, 2}));
  key(Qt::Key_Home);
  EXPECT_EQ(where(), QStringLiteral("input, 2 matches"));
  key(Qt::Key_Down);
  EXPECT_EQ(window_.navigator().address(), (StepAddress{3, 1}));
  key(Qt::Key_Up);
  EXPECT_EQ(window_.navigator().address(), (StepAddress{2, 0}));  // where it was left
  key(Qt::Key_End);
  EXPECT_EQ(window_.navigator().address().step, 2);
}

TEST_F(WindowTest, AQuickSecondKeyDoesNotLoseTheFirstViewOfAPass) {
  open();
  for (int i = 0; i < 6; i++) QTest::keyClick(&window_.canvas(), Qt::Key_Plus);
  QTest::keyClick(&window_.canvas(), Qt::Key_Down);
  key(Qt::Key_Left);  // before the picture of the other pass is there
  EXPECT_EQ(window_.navigator().address(), (StepAddress{3, 0}));
  for (const SceneNode& n : window_.canvas().frame()->graph.nodes)
    EXPECT_TRUE(QRectF(window_.canvas().rect()).contains(window_.canvas().nodeRect(n.key))) << n.title;
}

TEST_F(WindowTest, AStepShowsWhatIsNewAndWhatIsGone) {
  open();
  key(Qt::Key_Down);  // pass "double": MUL by 2 becomes ADD
  const auto made = titles(NodeState::New), gone = titles(NodeState::Ghost);
  EXPECT_NE(std::ranges::find(made, "ADD"), made.end());
  EXPECT_NE(std::ranges::find(gone, "MUL"), gone.end());
}

TEST_F(WindowTest, NodesInMemoryAreDroppedWhenTheyAreMany) {
  open();
  window_.session().setMostStored(1);
  key(Qt::Key_Right);
  const auto made = titles(NodeState::New);
  key(Qt::Key_Left);
  key(Qt::Key_Right);
  EXPECT_EQ(titles(NodeState::New), made);  // keys are others, what is seen is the same
  EXPECT_EQ(window_.navigator().address().step, 2);
}

TEST_F(WindowTest, AClickOnANodeInspectsIt) {
  open();
  key(Qt::Key_Down);
  uint32_t added = 0;
  for (const SceneNode& n : window_.canvas().frame()->graph.nodes)
    if (n.title == "ADD" && n.state == NodeState::New) added = n.key;
  key(Qt::Key_Space);
  QTest::mouseClick(&window_.canvas(), Qt::LeftButton, {}, window_.canvas().nodeRect(added).center().toPoint());
  ASSERT_TRUE(waitFor([&] { return window_.inspector().toPlainText().startsWith(QStringLiteral("ADD")); }));
  EXPECT_TRUE(window_.inspector().toPlainText().contains(QStringLiteral("double-by-adding")));
  EXPECT_TRUE(window_.inspector().toPlainText().contains(QStringLiteral("Used by")));
}

TEST_F(WindowTest, TheTreeShowsPassesWithCountsAndLeadsToThem) {
  open();
  QTreeView& tree = window_.passTree().tree();
  const auto* model = tree.model();
  const QModelIndex section = model->index(0, 0);
  const QModelIndex group = model->index(0, 0, section);
  EXPECT_EQ(group.data().toString(), QStringLiteral("sample"));
  ASSERT_EQ(model->rowCount(group), 2);
  EXPECT_EQ(model->index(0, 1, group).data().toString(), QStringLiteral("2"));
  const QModelIndex second = model->index(1, 0, group);
  tree.scrollTo(second);
  QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(second).center());
  ASSERT_TRUE(settle());
  EXPECT_EQ(window_.navigator().address().pass, 3);
}

TEST_F(WindowTest, TheFilterKeepsMatchingPasses) {
  open();
  QTest::keyClick(&window_.canvas(), Qt::Key_F, Qt::ControlModifier);
  QTest::keyClicks(&window_.passTree().filter(), QStringLiteral("doub"));
  const auto* model = window_.passTree().tree().model();
  const QModelIndex group = model->index(0, 0, model->index(0, 0));
  ASSERT_EQ(model->rowCount(group), 1);
  EXPECT_EQ(model->index(0, 0, group).data().toString(), QStringLiteral("double"));
}

TEST_F(WindowTest, PlayingRunsToTheEndAndStops) {
  open();
  window_.navigator().setSpeed(50);
  key(Qt::Key_Home);
  QTest::keyClick(&window_.canvas(), Qt::Key_P);
  EXPECT_TRUE(window_.navigator().playing());
  ASSERT_TRUE(waitFor([&] { return !window_.navigator().playing(); }));
  EXPECT_EQ(window_.navigator().address().step, 2);
}

TEST_F(WindowTest, TheSliderScrubs) {
  open();
  window_.timeline().slider().setValue(0);
  ASSERT_TRUE(settle());
  EXPECT_EQ(window_.navigator().address().step, 0);
  window_.timeline().slider().setValue(2);
  ASSERT_TRUE(settle());
  EXPECT_EQ(where(), QStringLiteral("match 2 of 2"));
}

TEST_F(WindowTest, BackAndForwardWalkTheHistory) {
  open();
  key(Qt::Key_Down);
  key(Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(window_.navigator().address().pass, 2);
  key(Qt::Key_Right, Qt::AltModifier);
  EXPECT_EQ(window_.navigator().address().pass, 3);
}

TEST_F(WindowTest, ConstantsBecomeNodesOnRequest) {
  open();
  key(Qt::Key_Home);
  const size_t before = window_.canvas().frame()->graph.nodes.size();
  QTest::keyClick(&window_.canvas(), Qt::Key_C);
  ASSERT_TRUE(waitFor([&] { return window_.canvas().frame()->graph.nodes.size() > before; }));
}

TEST_F(WindowTest, ABadFileSaysWhatIsWrong) {
  window_.openTrace(QString::fromStdString(folder_.file("missing.rscope")));
  ASSERT_TRUE(
      waitFor([&] { return window_.statusBar()->currentMessage().contains(QStringLiteral("there is no file")); }));
}

TEST_F(WindowTest, AFileCanBeDropped) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(path_)});
  QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(&window_, &enter);
  EXPECT_TRUE(enter.isAccepted());
  QDropEvent drop({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(&window_, &drop);
  ASSERT_TRUE(settle());
  EXPECT_EQ(window_.session().summary().matches, 3);
}

TEST_F(WindowTest, TheListOfKeysNamesEveryKey) {
  open();
  QTest::keyClick(&window_.canvas(), Qt::Key_Question);
  auto* keys = window_.findChild<QDialog*>(QStringLiteral("keys"));
  ASSERT_NE(keys, nullptr);
  EXPECT_TRUE(keys->isVisible());
  // all of it at once
  QTest::qWait(50);
  EXPECT_LT(keys->height(), 600);
  EXPECT_EQ(keys->findChild<QTextBrowser*>()->verticalScrollBar()->maximum(), 0);
  EXPECT_EQ(keys->findChild<QTextBrowser*>()->horizontalScrollBar()->maximum(), 0);
}

TEST_F(WindowTest, AForeignFileLeavesWhatIsOpen) {
  open();
  const auto frame = window_.canvas().frame();
  window_.openTrace(QStringLiteral(RANGESCOPE_SOURCE_DIR "/README.md"));
  ASSERT_TRUE(waitFor(
      [&] { return window_.statusBar()->currentMessage().contains(QStringLiteral("README.md is not a trace")); }));
  EXPECT_EQ(window_.canvas().frame(), frame);
  key(Qt::Key_Right);
  EXPECT_EQ(window_.navigator().address(), (StepAddress{2, 2}));
}

TEST_F(WindowTest, EverythingHasRoomInASmallWindow) {
  open();
  window_.resize(1000, 700);
  QTest::qWait(50);
  EXPECT_EQ(window_.size(), QSize(1000, 700));
  EXPECT_GE(window_.timeline().slider().width(), 120);
  EXPECT_GE(window_.passTree().width(), 220);
  auto* rule = window_.findChild<QLabel*>(QStringLiteral("ruleName"));
  EXPECT_LE(rule->geometry().right(), window_.timeline().width());
}

TEST_F(WindowTest, DarkIsReadable) {
  open();
  QTest::keyClick(&window_.canvas(), Qt::Key_D, Qt::ControlModifier);
  key(Qt::Key_Home);
  QTest::mouseClick(&window_.canvas(), Qt::LeftButton, {},
                    window_.canvas().nodeRect(window_.canvas().frame()->graph.nodes.back().key).center().toPoint());
  ASSERT_TRUE(waitFor([&] { return window_.inspector().toPlainText().contains(QStringLiteral("Sources")); }));
  const auto linkColor = [&] { return QApplication::palette().color(QPalette::Link).name(); };
  EXPECT_TRUE(window_.inspector().toHtml().contains(linkColor())) << linkColor().toStdString();
  // the signs of the bar are drawn in the text's colour
  const QImage sign = window_.findChild<QToolButton*>(QStringLiteral("play"))->icon().pixmap(16, 16).toImage();
  EXPECT_GT(sign.pixelColor(6, 8).lightness(), 128);
  QTest::keyClick(&window_.canvas(), Qt::Key_D, Qt::ControlModifier);
  EXPECT_TRUE(window_.inspector().toHtml().contains(linkColor())) << linkColor().toStdString();
}

TEST(RulePattern, SetsOfOpsHaveNames) {
  std::string all, movement;
  for (size_t i = 1; i < kOpLimit; ++i) {
    const Op op = static_cast<Op>(i);
    const std::string quoted = "\"" + std::string(op_name(op)) + "\"";
    all += (all.empty() ? "" : ",") + quoted;
    if (groups::Movement.contains(op)) movement += (movement.empty() ? "" : ",") + quoted;
  }
  EXPECT_TRUE(patternHtml("{\"ops\":[" + all + "],\"name\":\"x\"}").contains(QStringLiteral("<b>x</b>: any op<")));
  EXPECT_TRUE(patternHtml("{\"ops\":[" + movement + "]}").contains(QStringLiteral("any movement op")));
  EXPECT_TRUE(patternHtml(R"({"ops":["ADD","MUL"]})").contains(QStringLiteral("ADD | MUL")));
  // arguments read as they do in the graph
  EXPECT_TRUE(patternHtml(R"({"ops":["REDUCE"],"arg":[{"op":"ADD"},0]})").contains(QStringLiteral("REDUCE = ADD<")));
  EXPECT_TRUE(patternHtml(R"({"ops":["CONST"],"arg":{"invalid":1}})").contains(QStringLiteral("CONST = invalid<")));
  EXPECT_TRUE(patternHtml(R"({"ops":["CONST"],"arg":-1})").contains(QStringLiteral("CONST = -1<")));
}

}  // namespace
}  // namespace rangescope::viewer
