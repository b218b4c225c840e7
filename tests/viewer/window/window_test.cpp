// The window as a person uses it: clicks and keys on a recorded trace.

#include "viewer/main_window.h"

#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSlider>
#include <QStatusBar>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeView>

#include "engine/ir/op.h"
#include "engine/trace/kernel_rows.h"
#include "tests/trace/recorded.h"
#include "viewer/canvas/graph_canvas.h"
#include "viewer/panels/inspector_panel.h"
#include "viewer/panels/kernel_panel.h"
#include "viewer/panels/pass_tree_panel.h"
#include "viewer/panels/rule_panel.h"
#include "viewer/panels/timeline_bar.h"

namespace rangescope::viewer {
namespace {

class WindowTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = QString::fromStdString(folder_.file("t.rscope"));
    trace::record_sample(path_.toStdString());
    window_.canvas().setReducedMotion(true);
    window_.QWidget::show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&window_));
  }
  void open() {
    window_.openTrace(path_);
    ASSERT_TRUE(settle());
  }
  bool settle() {
    return QTest::qWaitFor([&] { return window_.navigator().address().pass != 0 && window_.settled(); }, 10000);
  }
  void key(Qt::Key k, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(&window_.canvas(), k, modifiers);
    ASSERT_TRUE(settle());
  }
  QString where() { return window_.findChild<QLabel*>(QStringLiteral("where"))->text(); }
  std::vector<std::string> titles(NodeState state) {
    std::vector<std::string> out;
    for (const SceneNode& n : window_.canvas().frame()->graph.nodes)
      if (n.state == state) out.push_back(n.title);
    return out;
  }

  trace::Folder folder_;
  QString path_;
  MainWindow window_;
};

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

TEST_F(WindowTest, AClickOnANodeInspectsIt) {
  open();
  key(Qt::Key_Down);
  uint32_t added = 0;
  for (const SceneNode& n : window_.canvas().frame()->graph.nodes)
    if (n.title == "ADD" && n.state == NodeState::New) added = n.key;
  key(Qt::Key_Space);
  QTest::mouseClick(&window_.canvas(), Qt::LeftButton, {}, window_.canvas().nodeRect(added).center().toPoint());
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_.inspector().toPlainText().startsWith(QStringLiteral("ADD")); }));
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
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window_.navigator().playing(); }));
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
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_.canvas().frame()->graph.nodes.size() > before; }));
}

TEST_F(WindowTest, ABadFileSaysWhatIsWrong) {
  window_.openTrace(QString::fromStdString(folder_.file("missing.rscope")));
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return window_.statusBar()->currentMessage().contains(QStringLiteral("there is no file")); }));
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

TEST_F(WindowTest, KernelsShowTheirTimesAndSource) {
  {
    auto writer = trace::Writer::append(path_.toStdString());
    ASSERT_TRUE(writer);
    (*writer)->post([](trace::Database& db) -> Result<void> {
      trace::KernelRow k;
      k.id = 1;
      k.name = "r_4";
      k.source = "#version 460\nvoid main() {}";
      if (auto r = trace::insert_kernels(db, {k}); !r) return r;
      trace::ScheduleRow s;
      s.id = 1;
      s.kind = "kernel";
      s.kernel = 1;
      if (auto r = trace::insert_schedule(db, {s}); !r) return r;
      trace::RunRow run;
      run.device = "test device";
      run.dispatches = {{1, 0, 0, 900000, true}, {1, 0, 0, 2000}, {1, 0, 1, 3000}, {1, 0, 2, 2500}};
      return trace::insert_run(db, run);
    });
    ASSERT_TRUE((*writer)->close());
  }
  open();
  EXPECT_TRUE(window_.kernels().isVisible());
  const auto* model = window_.kernels().table().model();
  ASSERT_EQ(model->rowCount(), 1);
  EXPECT_EQ(model->index(0, KernelTableModel::NameColumn).data().toString(), QStringLiteral("r_4"));
  EXPECT_EQ(model->index(0, KernelTableModel::MedianColumn).data().toString(),
            QStringLiteral("2.50"));  // the warm-up is left out
  EXPECT_TRUE(window_.kernels().source().toPlainText().contains(QStringLiteral("void main")));
}

// On a recorded program that ran: tests/trace/data/version2.rscope, one kernel.
class KernelGraphTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    path_ = QStringLiteral(RANGESCOPE_SOURCE_DIR "/tests/trace/data/version2.rscope");
    open();
  }
  // What the kernel's node says last.
  QString label() {
    for (const SceneNode& n : window_.canvas().frame()->graph.nodes)
      if (!n.heatLabel.empty()) return QString::fromStdString(n.heatLabel);
    return {};
  }
  QComboBox& measure() { return *window_.findChild<QComboBox*>(QStringLiteral("measure")); }
};

TEST_F(KernelGraphTest, OpensOnTheKernelsAndMGoesThroughTheMeasures) {
  EXPECT_TRUE(window_.canvas().heatShown());
  EXPECT_TRUE(label().contains(QStringLiteral(" ms ")));
  EXPECT_TRUE(measure().isVisible());
  for (const QString& unit :
       {QStringLiteral(" GFLOP/s"), QStringLiteral(" GB/s"), QStringLiteral(" %"), QStringLiteral(" ms ")}) {
    key(Qt::Key_M);
    EXPECT_TRUE(QTest::qWaitFor([&] { return label().contains(unit); })) << label().toStdString();
  }
  EXPECT_EQ(measure().currentIndex(), 0);
}

TEST_F(KernelGraphTest, OneRepeatHasNoSpread) {
  EXPECT_TRUE(label().contains(QStringLiteral(" \u00b1"))) << label().toStdString();
  const QString once = QString::fromStdString(folder_.file("once.rscope"));
  ASSERT_TRUE(QFile::copy(path_, once));
  QFile::setPermissions(once, QFile::ReadOwner | QFile::WriteOwner);
  auto writer = trace::Writer::append(once.toStdString());
  ASSERT_TRUE(writer);
  (*writer)->post([](trace::Database& db) -> Result<void> {
    trace::RunRow run;
    run.device = "test device";
    run.dispatches = {{1, 0, 0, 900000, true}, {1, 0, 0, 2000000}};
    return trace::insert_run(db, run);
  });
  ASSERT_TRUE((*writer)->close());
  window_.openTrace(once);
  EXPECT_TRUE(QTest::qWaitFor([&] { return label() == QStringLiteral("2.000 ms"); })) << label().toStdString();
  const auto* model = window_.kernels().table().model();
  EXPECT_EQ(model->index(0, KernelTableModel::SpreadColumn).data().toString(), QStringLiteral("–"));
}

TEST_F(KernelGraphTest, TheMeasureIsChosenInTheBarToo) {
  QTest::mouseClick(&measure(), Qt::LeftButton);
  QTest::keyClick(measure().view(), Qt::Key_Down);
  QTest::keyClick(measure().view(), Qt::Key_Return);
  ASSERT_TRUE(QTest::qWaitFor([&] { return label().contains(QStringLiteral("GFLOP/s")); }));
}

TEST_F(KernelGraphTest, THidesTheTimesAndTheNextMeasureBringsThemBack) {
  key(Qt::Key_T);
  ASSERT_TRUE(QTest::qWaitFor([&] { return label().isEmpty(); }));
  key(Qt::Key_M);
  EXPECT_TRUE(QTest::qWaitFor([&] { return label().contains(QStringLiteral("GFLOP/s")); }));
  EXPECT_TRUE(window_.canvas().heatShown());
}

TEST_F(KernelGraphTest, APassHasNoMeasures) {
  key(Qt::Key_Up);
  EXPECT_FALSE(measure().isVisible());
}

TEST_F(KernelGraphTest, TheTableHasRates) {
  const auto* model = window_.kernels().table().model();
  ASSERT_EQ(model->rowCount(), 1);
  EXPECT_GT(model->index(0, KernelTableModel::GflopsColumn).data(KernelTableModel::SortRole).toDouble(), 0);
  EXPECT_GT(model->index(0, KernelTableModel::BandwidthColumn).data(KernelTableModel::SortRole).toDouble(), 0);
}

TEST_F(KernelGraphTest, ARowAndItsNodeAreSelectedTogether) {
  QTableView& table = window_.kernels().table();
  const auto rowRect = table.visualRect(table.model()->index(0, KernelTableModel::NameColumn));
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, rowRect.center());
  const auto key = window_.canvas().selected();
  ASSERT_TRUE(key);
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_.inspector().toPlainText().startsWith(QStringLiteral("CALL")); }));
  table.selectionModel()->clear();
  QTest::mouseClick(&window_.canvas(), Qt::LeftButton, {}, window_.canvas().nodeRect(*key).center().toPoint());
  EXPECT_EQ(table.currentIndex().row(), 0);
}

TEST_F(KernelGraphTest, ADoubleClickOnARowLeadsToItsNode) {
  this->key(Qt::Key_Up);
  EXPECT_FALSE(window_.canvas().heatShown());
  QTableView& table = window_.kernels().table();
  const QPoint at = table.visualRect(table.model()->index(0, KernelTableModel::NameColumn)).center();
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, at);
  QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, at);
  EXPECT_TRUE(QTest::qWaitFor([&] { return window_.canvas().heatShown() && window_.canvas().selected().has_value(); }));
}

TEST_F(KernelGraphTest, KernelsAreFoldedAndEmptyPassesStandBack) {
  QTreeView& tree = window_.passTree().tree();
  const auto* model = tree.model();
  EXPECT_TRUE(tree.isExpanded(model->index(0, 0)));
  ASSERT_GE(model->rowCount(), 2);
  EXPECT_FALSE(tree.isExpanded(model->index(1, 0)));
  const QModelIndex group = model->index(0, 0, model->index(0, 0));
  bool grey = false, plain = false;
  for (int i = 0; i < model->rowCount(group); ++i)
    (model->index(i, 0, group).data(Qt::ForegroundRole).isValid() ? grey : plain) = true;
  EXPECT_TRUE(grey && plain);
}

TEST_F(KernelGraphTest, APassWithoutMatchesSaysSo) {
  EXPECT_TRUE(window_.rulePanel().toPlainText().contains(QStringLiteral("found anything to change")));
}

TEST_F(WindowTest, AForeignFileLeavesWhatIsOpen) {
  open();
  const auto frame = window_.canvas().frame();
  window_.openTrace(QStringLiteral(RANGESCOPE_SOURCE_DIR "/README.md"));
  ASSERT_TRUE(QTest::qWaitFor(
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

TEST_F(KernelGraphTest, ASmallWindowShowsWhatItShowsWhole) {
  const auto* node = &window_.inspector();
  const QSize before = window_.size();
  window_.resize(640, 480);
  QTest::qWait(50);
  EXPECT_EQ(window_.size(), QSize(640, 480));
  EXPECT_GE(node->width(), 180);
  EXPECT_LE(node->mapTo(&window_, QPoint(node->width(), 0)).x(), 640);
  const auto whole = [&] {
    for (const QWidget* w : window_.timeline().findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
      if (!w->isVisible() || w->objectName() == QStringLiteral("ruleName")) continue;
      EXPECT_GE(w->width(), w->minimumSizeHint().width()) << w->objectName().toStdString();
      EXPECT_LE(w->geometry().right(), window_.timeline().width()) << w->objectName().toStdString();
    }
  };
  whole();
  EXPECT_TRUE(window_.findChild<QLabel*>(QStringLiteral("where"))->isVisible());
  window_.resize(before);
  QTest::qWait(50);
  whole();
  EXPECT_GE(node->width(), 180);
  EXPECT_TRUE(measure().isVisible());
  EXPECT_TRUE(window_.findChild<QComboBox*>(QStringLiteral("speed"))->isVisible());
}

TEST_F(WindowTest, DarkIsReadable) {
  open();
  QTest::keyClick(&window_.canvas(), Qt::Key_D, Qt::ControlModifier);
  key(Qt::Key_Home);
  QTest::mouseClick(&window_.canvas(), Qt::LeftButton, {},
                    window_.canvas().nodeRect(window_.canvas().frame()->graph.nodes.back().key).center().toPoint());
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_.inspector().toPlainText().contains(QStringLiteral("Sources")); }));
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
}

}  // namespace
}  // namespace rangescope::viewer
