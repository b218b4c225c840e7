// Kernels and their times in the window: the kernel graph, its measures, the table.

#include <QAbstractItemView>
#include <QComboBox>
#include <QFile>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSlider>
#include <QStatusBar>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>

#include "engine/trace/kernel_rows.h"
#include "tests/viewer/window/window_fixture.h"
#include "viewer/panels/inspector_panel.h"
#include "viewer/panels/kernel_panel.h"
#include "viewer/panels/pass_tree_panel.h"
#include "viewer/panels/rule_panel.h"
#include "viewer/panels/timeline_bar.h"

namespace rangescope::viewer {
namespace {

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
    EXPECT_TRUE(waitFor([&] { return label().contains(unit); })) << label().toStdString();
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
  EXPECT_TRUE(waitFor([&] { return label() == QStringLiteral("2.000 ms"); })) << label().toStdString();
  const auto* model = window_.kernels().table().model();
  EXPECT_EQ(model->index(0, KernelTableModel::SpreadColumn).data().toString(), QStringLiteral("–"));
}

TEST_F(KernelGraphTest, TheMeasureIsChosenInTheBarToo) {
  QTest::mouseClick(&measure(), Qt::LeftButton);
  QTest::keyClick(measure().view(), Qt::Key_Down);
  QTest::keyClick(measure().view(), Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return label().contains(QStringLiteral("GFLOP/s")); }));
}

TEST_F(KernelGraphTest, THidesTheTimesAndTheNextMeasureBringsThemBack) {
  key(Qt::Key_T);
  ASSERT_TRUE(waitFor([&] { return label().isEmpty(); }));
  key(Qt::Key_M);
  EXPECT_TRUE(waitFor([&] { return label().contains(QStringLiteral("GFLOP/s")); }));
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
  ASSERT_TRUE(waitFor([&] { return window_.inspector().toPlainText().startsWith(QStringLiteral("CALL")); }));
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
  EXPECT_TRUE(waitFor([&] { return window_.canvas().heatShown() && window_.canvas().selected().has_value(); }));
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

TEST_F(KernelGraphTest, ASmallWindowShowsWhatItShowsWhole) {
  const auto* node = &window_.inspector();
  const QSize before = window_.size();
  window_.resize(640, 480);
  QTest::qWait(50);
  EXPECT_EQ(window_.size(), QSize(640, 480));
  EXPECT_GE(node->width(), 180);
  EXPECT_LE(node->mapTo(&window_, QPoint(node->width(), 0)).x(), 640);
  // hidden and shown widgets are laid out in events of their own
  const auto whole = [&] {
    return waitFor([&] {
      const auto parts = window_.timeline().findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
      return std::ranges::all_of(parts, [&](const QWidget* w) {
        if (!w->isVisible() || w->objectName() == QStringLiteral("ruleName")) return true;
        return w->width() >= w->minimumSizeHint().width() && w->geometry().right() <= window_.timeline().width();
      });
    });
  };
  EXPECT_TRUE(whole());
  EXPECT_TRUE(window_.findChild<QLabel*>(QStringLiteral("where"))->isVisible());
  window_.resize(before);
  QTest::qWait(50);
  EXPECT_TRUE(whole());
  EXPECT_GE(node->width(), 180);
  EXPECT_TRUE(measure().isVisible());
  EXPECT_TRUE(window_.findChild<QComboBox*>(QStringLiteral("speed"))->isVisible());
}

}  // namespace
}  // namespace rangescope::viewer
