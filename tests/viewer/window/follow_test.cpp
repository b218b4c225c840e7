// A trace that grows while it is on show, and work that takes long: what it is, and Cancel.

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QProcess>
#include <QProgressBar>
#include <QStatusBar>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>
#include <filesystem>
#include <thread>

#include "tests/viewer/window/window_fixture.h"
#include "viewer/controllers/recorder_watch.h"
#include "viewer/diff_dock.h"
#include "viewer/panels/job_bar.h"
#include "viewer/panels/pass_tree_panel.h"
#include "viewer/panels/pathology_panel.h"
#include "viewer/panels/search_panel.h"
#include "viewer/tool_docks.h"

namespace rangescope::viewer {
namespace {

class FollowTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    live_ = QString::fromStdString(folder_.file("live.rscope"));
    auto recorder = trace::Recorder::create(live_.toStdString(), store_);
    ASSERT_TRUE(recorder);
    recorder_ = std::move(*recorder);
    root_ = trace::sample_program(store_);
    recorder_->begin_section("schedule", "sample", root_);
    commit();
  }
  void commit() {
    recorder_->flush();
    ASSERT_TRUE(recorder_->writer().flush());
  }
  void pass(const char* name, UOp from) {
    const ObserverScope scope(store_, *recorder_);
    graph_rewrite(from, trace::drop_zero(), {.name = name});
    commit();
  }
  int rows() {
    const QAbstractItemModel& m = *window_.findChild<QTreeView*>(QStringLiteral("passTree"))->model();
    return m.rowCount(m.index(0, 0));
  }
  bool comes(int passes) {
    return waitFor([&] { return rows() == passes && window_.settled(); });
  }

  QString live_;
  Store store_;
  UOp root_;
  std::unique_ptr<trace::Recorder> recorder_;
};

TEST_F(FollowTest, PassesAppearAsTheyAreRecorded) {
  window_.openTrace(live_);
  ASSERT_TRUE(waitFor([&] { return window_.session().isOpen(); }));
  EXPECT_EQ(window_.navigator().address().pass, 0);  // there is nothing yet
  pass("first", root_);
  ASSERT_TRUE(comes(1));
  EXPECT_EQ(window_.navigator().address(), (StepAddress{1, 1}));
  pass("second", root_);
  ASSERT_TRUE(comes(2));
  EXPECT_EQ(window_.navigator().address(), (StepAddress{1, 1}));  // one stays where one is
  // until one asks for the newest
  QTest::keyClick(&window_.canvas(), Qt::Key_End, Qt::ShiftModifier);
  ASSERT_TRUE(settle());
  EXPECT_EQ(window_.navigator().address(), (StepAddress{2, 2}));
  pass("third", root_);
  ASSERT_TRUE(comes(3));
  EXPECT_EQ(window_.navigator().address(), (StepAddress{3, 2}));

  std::thread closing([&] { EXPECT_TRUE(recorder_->finish()); });
  const bool complete = waitFor([&] { return window_.session().summary().complete; });
  closing.join();
  ASSERT_TRUE(complete);
  EXPECT_FALSE(std::filesystem::exists(live_.toStdString() + "-wal"));
  // what looks through the whole trace has seen the end too
  window_.tools().searchFor(QStringLiteral("third"));
  ASSERT_TRUE(waitFor([&] { return !window_.tools().busy() && window_.settled(); }));
  QTest::keyClick(&window_.canvas(), Qt::Key_Up);
  ASSERT_TRUE(settle());
  EXPECT_EQ(window_.navigator().address().pass, 2);
}

TEST_F(FollowTest, ASearchCoversWhatCameSinceTheTraceWasOpened) {
  pass("first", root_);
  window_.openTrace(live_);
  ASSERT_TRUE(settle());
  SearchPanel& search = window_.tools().search();
  const auto found = [&](int rows) {
    return waitFor([&] { return search.hits().rowCount() == rows && !window_.tools().busy(); });
  };
  QTest::keyClick(&window_.canvas(), Qt::Key_Slash);
  QTest::keyClicks(&search.line(), QStringLiteral("is:step"));
  ASSERT_TRUE(found(2));
  pass("second", root_);
  // the list stays while somebody reads it, and says that there is more
  ASSERT_TRUE(comes(2));
  EXPECT_TRUE(search.said().text().contains(QStringLiteral("More was recorded since")))
      << search.said().text().toStdString();
  EXPECT_EQ(search.hits().rowCount(), 2);
  QTest::keyClick(&search.line(), Qt::Key_Return);
  EXPECT_TRUE(found(4));
  EXPECT_FALSE(search.said().text().contains(QStringLiteral("More was recorded since")));
  // what is asked anew is answered from all of it at once
  pass("third", root_);
  ASSERT_TRUE(comes(3));
  search.line().clear();
  QTest::keyClicks(&search.line(), QStringLiteral("pass:third is:step"));
  EXPECT_TRUE(found(2));
}

TEST_F(FollowTest, PathologiesAreLookedForAgain) {
  pass("first", root_);
  window_.openTrace(live_);
  ASSERT_TRUE(settle());
  PathologyPanel& panel = window_.tools().pathologies();
  const auto fired = [&](const char* times) {
    return waitFor([&] {
      return panel.rows().rowCount() == 1 && panel.rows().index(0, 2).data().toString() == QLatin1String(times);
    });
  };
  QTest::keyClick(&window_.canvas(), Qt::Key_X);
  ASSERT_TRUE(fired("2"));
  pass("second", root_);
  ASSERT_TRUE(comes(2));
  EXPECT_TRUE(panel.said().text().contains(QStringLiteral("looks again"))) << panel.said().text().toStdString();
  QTest::keyClick(&window_.canvas(), Qt::Key_X);
  EXPECT_TRUE(fired("4"));
}

// The recorder is this process; another one that holds the file stands for a recorder that is killed.
TEST_F(FollowTest, ARecorderThatIsGoneIsSaidToBe) {
  pass("first", root_);
  QProcess holder;
  holder.start(QStringLiteral("python3"),
               {QStringLiteral("-c"),
                QStringLiteral("import sqlite3, sys, time; c = sqlite3.connect(sys.argv[1]); "
                               "c.execute('SELECT count(*) FROM passes').fetchone(); print('ready', flush=True); "
                               "time.sleep(600)"),
                live_});
  if (!holder.waitForReadyRead(20000)) GTEST_SKIP() << "there is no python3 with sqlite3";
  window_.session().setQuietAfter(100);
  window_.openTrace(live_);
  ASSERT_TRUE(settle());
  const auto says = [&](const QString& what) {
    const auto labels = window_.statusBar()->findChildren<QLabel*>();
    return waitFor(
        [&] { return std::ranges::any_of(labels, [&](const QLabel* l) { return l->text().contains(what); }); });
  };
  EXPECT_TRUE(says(QStringLiteral("nothing new since")));
  EXPECT_EQ(holderOf(live_.toStdString()), Holder::There);
  holder.kill();
  ASSERT_TRUE(holder.waitForFinished());
  EXPECT_TRUE(says(QStringLiteral("nobody records it any more")));
  // should it go on all the same, so does the window
  pass("second", root_);
  EXPECT_TRUE(says(QStringLiteral("what is added is shown")));
  EXPECT_TRUE(comes(2));
}

TEST_F(FollowTest, WhatIsUnfoldedAndHiddenStaysSo) {
  pass("first", root_);
  window_.openTrace(live_);
  ASSERT_TRUE(settle());
  auto& tree = *window_.findChild<QTreeView*>(QStringLiteral("passTree"));
  tree.collapse(tree.model()->index(0, 0));
  pass("second", root_);
  ASSERT_TRUE(comes(2));
  EXPECT_FALSE(tree.isExpanded(tree.model()->index(0, 0)));
}

TEST_F(FollowTest, LongWorkSaysWhatItIsAndCanBeCancelled) {
  JobBar bar;
  Background background;
  QString cancelled;
  bar.watch({[&] { return background.running(); },
             {{"long", QStringLiteral("Counting")}},
             [&](const std::string& tag) {
               background.cancel(tag);
               cancelled = QString::fromStdString(tag);
             }});
  std::atomic<bool> ended = false;
  background.request("long", &bar, [&](const std::stop_token& stop) -> Background::Answer {
    background.setProgress(0.25);
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ended = true;
    return {};
  });
  QElapsedTimer clock;
  clock.start();
  EXPECT_TRUE(bar.isHidden());
  ASSERT_TRUE(waitFor([&] { return bar.isVisible(); }, 3000));
  EXPECT_GE(clock.elapsed(), kSlowMs - 20);
  EXPECT_TRUE(bar.text().text().startsWith(QStringLiteral("Counting")));
  EXPECT_EQ(bar.findChild<QProgressBar*>()->value(), 25);
  QTest::mouseClick(&bar.cancelButton(), Qt::LeftButton);
  EXPECT_EQ(cancelled, QStringLiteral("long"));
  EXPECT_TRUE(bar.isHidden());
  ASSERT_TRUE(waitFor([&] { return ended.load(); }, 3000));
}

TEST_F(FollowTest, AComparisonEndsWithTheTraceThatItIsAbout) {
  open();
  window_.compareWith(path_);
  ASSERT_TRUE(window_.diff().busy());
  window_.openTrace(path_);
  ASSERT_TRUE(waitFor([&] { return !window_.diff().busy(); }, 3000));
}

TEST_F(FollowTest, AStepThatIsCancelledLeavesWhatWasOnShow) {
  open();
  const auto frame = window_.canvas().frame();
  window_.navigator().stepBy(1);
  window_.session().cancel("step");
  EXPECT_TRUE(window_.settled() || waitFor([&] { return window_.settled(); }));
  EXPECT_EQ(window_.canvas().frame(), frame);
  EXPECT_TRUE(window_.statusBar()->currentMessage().startsWith(QStringLiteral("Stopped.")));
  key(Qt::Key_Left);
  EXPECT_NE(window_.canvas().frame(), frame);
}

TEST(PassTree, GrowsWithoutLosingWhatIsThere) {
  PassTreeModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  const auto pass = [](int64_t id, int64_t section, int64_t parent, int64_t matches) {
    trace::Pass p;
    p.id = id, p.section = section, p.parent = parent, p.matches = matches;
    p.name = "pass " + std::to_string(id);
    return p;
  };
  model.setTrace({{1, "kernel", "kernel 1", 0}}, {pass(1, 1, 0, 2)});
  const QPersistentModelIndex first = model.indexOf(1);
  model.extend({{1, "kernel", "r_2", 0}, {2, "kernel", "kernel 2", 0}},
               {pass(1, 1, 0, 5), pass(2, 1, 1, 1), pass(3, 2, 0, 0)});
  ASSERT_TRUE(first.isValid());
  EXPECT_EQ(model.index(0, 0).data().toString(), QStringLiteral("r_2"));  // named when its code was generated
  EXPECT_EQ(first.sibling(0, PassTreeModel::MatchesColumn).data().toString(), QStringLiteral("5"));
  EXPECT_EQ(model.rowCount(first), 1);
  EXPECT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.rowCount(model.index(1, 0)), 1);
  EXPECT_EQ(model.neighbour(2, 1), 3);
}

}  // namespace
}  // namespace rangescope::viewer
