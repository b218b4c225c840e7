// Looking through a whole trace as a person does: search, query, pathologies, provenance, firings, why not.

#include <QDialog>
#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QStatusBar>
#include <QTabBar>
#include <QTextBrowser>

#include "tests/viewer/window/window_fixture.h"
#include "viewer/panels/inspector_panel.h"
#include "viewer/panels/jump_table.h"
#include "viewer/panels/pathology_panel.h"
#include "viewer/panels/provenance_panel.h"
#include "viewer/panels/query_panel.h"
#include "viewer/panels/rule_panel.h"
#include "viewer/panels/search_panel.h"
#include "viewer/tool_docks.h"

namespace rangescope::viewer {
namespace {

class ToolsTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open();
  }
  bool at(int64_t pass, int64_t step) {
    return waitFor([&] { return window_.navigator().address() == StepAddress{pass, step} && window_.settled(); });
  }
  QString selectedTitle() {
    const auto selected = window_.canvas().selected();
    if (!selected) return {};
    for (const SceneNode& n : window_.canvas().frame()->graph.nodes)
      if (n.key == *selected) return QString::fromStdString(n.title);
    return QStringLiteral("(not drawn)");
  }
  SearchPanel& search() { return window_.tools().search(); }
  QString cell(const JumpModel& model, int row, int column) { return model.index(row, column).data().toString(); }
  void type(const QString& query) {
    search().line().clear();
    QTest::keyClicks(&search().line(), query);
  }
  bool found(int rows) {
    return waitFor([&] { return search().hits().rowCount() == rows && !window_.tools().searching().searching(); });
  }
  // The node made by "double".
  void selectMade() {
    key(Qt::Key_Down);
    for (const SceneNode& n : window_.canvas().frame()->graph.nodes)
      if (n.title == "ADD" && n.state == NodeState::New) {
        key(Qt::Key_Space);
        QTest::mouseClick(&window_.canvas(), Qt::LeftButton, {}, window_.canvas().nodeRect(n.key).center().toPoint());
      }
    ASSERT_TRUE(
        waitFor([&] { return window_.inspector().toPlainText().contains(QStringLiteral("double-by-adding")); }));
  }
};

TEST_F(ToolsTest, SlashSearchesAndTheArrowsWalkTheHits) {
  QTest::keyClick(&window_.canvas(), Qt::Key_Slash);
  EXPECT_TRUE(search().isVisible());
  EXPECT_EQ(window_.focusWidget(), &search().line());
  EXPECT_TRUE(search().help().isVisible());  // its language, while nothing is asked
  type(QStringLiteral("op:ADD rule:double"));
  ASSERT_TRUE(found(1));
  EXPECT_EQ(cell(search().hits(), 0, 0), QStringLiteral("node"));
  EXPECT_TRUE(search().said().text().startsWith(QStringLiteral("1 node in")));
  QTest::keyClick(&search().line(), Qt::Key_Down);
  ASSERT_TRUE(at(3, 1));
  ASSERT_TRUE(waitFor([&] { return selectedTitle() == QStringLiteral("ADD"); }));
  ASSERT_TRUE(waitFor([&] { return window_.inspector().toPlainText().contains(QStringLiteral("double-by-adding")); }));
  // several, walked with the arrows, which are the list's as long as it has the keys
  search().focusLine();
  type(QStringLiteral("is:step"));
  ASSERT_TRUE(found(3));
  QTest::keyClick(&search().line(), Qt::Key_Down);
  ASSERT_TRUE(at(2, 1));
  QTest::keyClick(&search().table(), Qt::Key_Down);
  ASSERT_TRUE(at(2, 2));
  QTest::keyClick(&search().table(), Qt::Key_Down);
  ASSERT_TRUE(at(3, 1));
  QTest::keyClick(&search().table(), Qt::Key_Return);
  EXPECT_EQ(window_.focusWidget(), &window_.canvas());
}

TEST_F(ToolsTest, APanelThatIsOpenedByNameTakesTheKeys) {
  window_.tools().open(QStringLiteral("search"));
  EXPECT_EQ(window_.focusWidget(), &search().line());
}

TEST_F(ToolsTest, AClickOnAHitLeadsThere) {
  QTest::keyClick(&window_.canvas(), Qt::Key_K, Qt::ControlModifier);
  type(QStringLiteral("double"));
  ASSERT_TRUE(found(2));  // the pass and the rule
  JumpTable& table = search().table();
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(search().hits().index(0, 1)).center());
  EXPECT_TRUE(at(3, 1));
  // a rule leads to the list of its firings
  const QPoint second = table.visualRect(search().hits().index(1, 1)).center();
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, second);
  QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, second);
  ASSERT_TRUE(waitFor([&] { return search().line().text().contains(QStringLiteral("double-by-adding")); }));
  ASSERT_TRUE(found(1));
  EXPECT_EQ(cell(search().hits(), 0, 0), QStringLiteral("step"));
}

TEST_F(ToolsTest, AMistakeInAQueryIsExplained) {
  QTest::keyClick(&window_.canvas(), Qt::Key_Slash);
  type(QStringLiteral("op:REDUCD"));
  ASSERT_TRUE(waitFor([&] { return search().help().toPlainText().contains(QStringLiteral("Did you mean REDUCE?")); }));
  EXPECT_TRUE(search().help().isVisible());
  type(QStringLiteral("nosuchthing"));
  ASSERT_TRUE(waitFor([&] { return search().said().text() == QStringLiteral("Nothing fits."); }));
  QTest::keyClick(&search().line(), Qt::Key_Escape);
  EXPECT_EQ(window_.focusWidget(), &window_.canvas());
}

TEST_F(ToolsTest, AllFiringsOfARuleAndTheNextOne) {
  QTest::keyClick(&window_.canvas(), Qt::Key_L);
  ASSERT_TRUE(found(2));  // add-zero
  EXPECT_EQ(cell(search().hits(), 1, 1), QStringLiteral("add-zero"));
  QTest::keyClick(&search().line(), Qt::Key_Escape);
  QTest::keyClick(&window_.canvas(), Qt::Key_N);
  ASSERT_TRUE(at(2, 2));
  QTest::keyClick(&window_.canvas(), Qt::Key_N);
  ASSERT_TRUE(waitFor(
      [&] { return window_.statusBar()->currentMessage().contains(QStringLiteral("no further firing of add-zero")); }));
  QTest::keyClick(&window_.canvas(), Qt::Key_N, Qt::ShiftModifier);
  ASSERT_TRUE(at(2, 1));
  EXPECT_TRUE(window_.rulePanel().toHtml().contains(QStringLiteral("firing:all")));
}

TEST_F(ToolsTest, TheQueryPanelRunsSavedQueriesAndItsRowsLeadIntoTheGraph) {
  QTest::keyClick(&window_.canvas(), Qt::Key_Q);
  QueryPanel& panel = window_.tools().query();
  ASSERT_TRUE(panel.isVisible());
  EXPECT_GE(panel.saved().count(), 8);
  const auto* answer = panel.table().model();
  const auto rows = [&](int n) {
    return waitFor([&] { return panel.table().isVisible() && answer->rowCount() == n; });
  };
  const QListWidgetItem* first = panel.saved().item(0);
  EXPECT_EQ(first->text(), QStringLiteral("Most expensive rules"));
  QTest::mouseClick(panel.saved().viewport(), Qt::LeftButton, {}, panel.saved().visualItemRect(first).center());
  ASSERT_TRUE(rows(2));
  EXPECT_TRUE(panel.said().text().startsWith(QStringLiteral("2 rows in")));
  // one's own, by keyboard
  panel.editor().setFocus();
  panel.editor().selectAll();
  QTest::keyClicks(&panel.editor(), QStringLiteral("SELECT id AS \"match\", after FROM matches ORDER BY id"));
  QTest::keyClick(&panel.editor(), Qt::Key_Return, Qt::ControlModifier);
  ASSERT_TRUE(rows(3));
  const auto click = [&](int row, int column) {
    QTest::mouseClick(panel.table().viewport(), Qt::LeftButton, {},
                      panel.table().visualRect(answer->index(row, column)).center());
  };
  click(2, 0);  // a match
  ASSERT_TRUE(at(3, 1));
  click(0, 0);
  ASSERT_TRUE(at(2, 1));
  click(2, 1);  // a node
  ASSERT_TRUE(at(3, 1));
  ASSERT_TRUE(waitFor([&] { return selectedTitle() == QStringLiteral("ADD"); }));
  panel.saveAs(QStringLiteral("mine"));
  EXPECT_EQ(panel.saved().item(0)->text(), QStringLiteral("mine"));
}

TEST_F(ToolsTest, AQueryThatIsWrongOrTooLongIsAMessage) {
  QTest::keyClick(&window_.canvas(), Qt::Key_Q);
  QueryPanel& panel = window_.tools().query();
  const auto says = [&](const QString& text) {
    return waitFor([&] { return panel.message().isVisible() && panel.message().text().contains(text); });
  };
  const auto run = [&](const QString& sql) {
    panel.editor().setPlainText(sql);
    QTest::mouseClick(panel.findChild<QPushButton*>(QStringLiteral("queryRun")), Qt::LeftButton);
  };
  run(QStringLiteral("SELECT x FROM nowhere"));
  EXPECT_TRUE(says(QStringLiteral("No such table")));
  run(QStringLiteral("DELETE FROM matches"));
  EXPECT_TRUE(says(QStringLiteral("Only SELECT is allowed")));
  run(QStringLiteral("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c"));
  ASSERT_TRUE(waitFor([&] { return panel.said().text().contains(QStringLiteral("Cancel stops it")); }));
  // the window goes on meanwhile
  key(Qt::Key_Right);
  EXPECT_TRUE(at(2, 2));
  QTest::mouseClick(panel.findChild<QPushButton*>(QStringLiteral("queryCancel")), Qt::LeftButton);
  EXPECT_TRUE(says(QStringLiteral("Stopped.")));
}

TEST_F(ToolsTest, PathologiesAreListedAndLeadThere) {
  QTest::keyClick(&window_.canvas(), Qt::Key_X);
  PathologyPanel& panel = window_.tools().pathologies();
  ASSERT_TRUE(panel.isVisible());
  ASSERT_TRUE(waitFor([&] { return panel.rows().rowCount() == 2; }));  // two rules fired
  QTest::keyClick(&panel.table(), Qt::Key_Down);
  ASSERT_TRUE(waitFor([&] { return window_.settled(); }));
  QTest::mouseClick(&panel.tabs(), Qt::LeftButton, {}, panel.tabs().tabRect(2).center());
  ASSERT_GE(panel.rows().rowCount(), 1);  // "clean" took two nodes and more away
  QTest::mouseClick(panel.table().viewport(), Qt::LeftButton, {},
                    panel.table().visualRect(panel.rows().index(panel.rows().rowCount() - 1, 0)).center());
  EXPECT_TRUE(at(2, 2));
  QTest::mouseClick(&panel.tabs(), Qt::LeftButton, {}, panel.tabs().tabRect(3).center());
  EXPECT_EQ(panel.said().text(), QStringLiteral("There are none in this trace."));
}

TEST_F(ToolsTest, ProvenanceIsAPathToWalk) {
  selectMade();
  QTest::keyClick(&window_.canvas(), Qt::Key_O);
  ProvenancePanel& panel = window_.tools().provenance();
  ASSERT_TRUE(waitFor([&] { return panel.path().rows.size() == 3; }));
  EXPECT_EQ(panel.current(), 2);
  EXPECT_TRUE(panel.toPlainText().contains(QStringLiteral("made by double-by-adding")));
  EXPECT_TRUE(panel.toPlainText().contains(QStringLiteral("in the program")));
  QTest::keyClick(&window_.canvas(), Qt::Key_Up, Qt::AltModifier);
  ASSERT_TRUE(at(2, 2));
  ASSERT_TRUE(waitFor([&] { return selectedTitle() == QStringLiteral("MUL"); }));
  QTest::keyClick(&window_.canvas(), Qt::Key_Up, Qt::AltModifier);
  ASSERT_TRUE(at(2, 0));
  EXPECT_EQ(panel.path().rows.size(), 3U);  // the path stays while it is walked
  QTest::keyClick(&window_.canvas(), Qt::Key_Down, Qt::AltModifier);
  ASSERT_TRUE(at(2, 2));
}

TEST_F(ToolsTest, WhyARuleDidNotMatch) {
  ExplainRequest asked;
  window_.setExplainer({[] {
                          return std::vector<std::string>{"add-zero", "double-by-adding"};
                        },
                        [&](const ExplainRequest& r) -> Result<std::string> {
                          asked = r;
                          if (r.rule == "nobody") return tl::unexpected(Error{"there is no rule \"nobody\""});
                          return "fails at source 1: it is 2, not 0";
                        }});
  QTest::keyClick(&window_.canvas(), Qt::Key_W);
  WhyPanel& panel = window_.tools().why();
  QTest::keyClick(&panel.rule(), Qt::Key_Return);
  EXPECT_TRUE(panel.answer().toPlainText().contains(QStringLiteral("Select a node")));
  window_.canvas().setFocus();
  selectMade();
  QTest::keyClick(&window_.canvas(), Qt::Key_W);
  QTest::keyClicks(&panel.rule(), QStringLiteral("add-zero"));
  QTest::keyClick(&panel.rule(), Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return panel.answer().toPlainText().contains(QStringLiteral("fails at source 1")); }));
  EXPECT_EQ(asked.rule, "add-zero");
  EXPECT_EQ(asked.pass, 3);
  EXPECT_GT(asked.node, 0);
  panel.rule().setText(QStringLiteral("nobody"));
  panel.ask();
  ASSERT_TRUE(waitFor([&] { return panel.answer().toPlainText().contains(QStringLiteral("there is no rule")); }));
}

TEST_F(ToolsTest, AnotherTraceIsSearchedInItsTurn) {
  QTest::keyClick(&window_.canvas(), Qt::Key_Slash);
  type(QStringLiteral("is:kernel"));
  ASSERT_TRUE(waitFor([&] { return search().said().text() == QStringLiteral("Nothing fits."); }));
  window_.openTrace(QStringLiteral(RANGESCOPE_SOURCE_DIR "/tests/trace/data/version2.rscope"));
  ASSERT_TRUE(found(1));  // asked again by itself
  QTest::keyClick(&search().line(), Qt::Key_Down);
  ASSERT_TRUE(waitFor([&] { return window_.canvas().selected().has_value(); }));
  EXPECT_TRUE(window_.canvas().heatShown());
}

TEST_F(ToolsTest, TheLayoutOfTheDocksIsKept) {
  QTest::keyClick(&window_.canvas(), Qt::Key_Slash);
  ASSERT_TRUE(search().isVisible());
  window_.close();
  MainWindow again;
  again.QWidget::show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&again));
  EXPECT_TRUE(again.findChild<QDockWidget*>(QStringLiteral("searchDock"))->isVisible());
  EXPECT_FALSE(again.findChild<QDockWidget*>(QStringLiteral("queryDock"))->isVisible());
  QSettings().clear();
}

// To be looked at: RANGESCOPE_PICTURES names a folder for pictures of every panel, RANGESCOPE_PICTURES_OF a trace.
TEST_F(ToolsTest, Pictures) {
  if (!qEnvironmentVariableIsSet("RANGESCOPE_PICTURES")) GTEST_SKIP() << "RANGESCOPE_PICTURES is not set";
  const QString folder = qEnvironmentVariable("RANGESCOPE_PICTURES");
  window_.openTrace(qEnvironmentVariable("RANGESCOPE_PICTURES_OF",
                                         QStringLiteral(RANGESCOPE_SOURCE_DIR "/tests/trace/data/version2.rscope")));
  QTest::qWait(1500);
  ASSERT_TRUE(settle());
  const auto quiet = [&] {
    QTest::qWait(600);
    return waitFor([&] { return window_.settled() && !window_.tools().busy(); }, 60000);
  };
  for (const char* theme : {"light", "dark"}) {
    const auto picture = [&](const char* name) {
      EXPECT_TRUE(quiet());
      QTest::qWait(100);
      window_.grab().save(QStringLiteral("%1/%2-%3.png").arg(folder, QLatin1String(name), QLatin1String(theme)));
    };
    QTest::keyClick(&window_.canvas(), Qt::Key_Slash);
    search().line().clear();
    picture("search-help");
    search().searchFor(QStringLiteral("op:REDUCD"));
    picture("search-mistake");
    search().searchFor(QStringLiteral("op:REDUCE,STAGE,STORE"));
    picture("search");
    QTest::keyClick(&search().line(), Qt::Key_Down);
    QTest::keyClick(&search().table(), Qt::Key_End);
    picture("search-hit");
    QTest::keyClick(&window_.canvas(), Qt::Key_O);
    picture("provenance");
    QTest::keyClick(&window_.canvas(), Qt::Key_Q);
    const QListWidgetItem* first = window_.tools().query().saved().item(0);
    window_.tools().query().saved().setCurrentRow(0);
    QTest::mouseClick(window_.tools().query().saved().viewport(), Qt::LeftButton, {},
                      window_.tools().query().saved().visualItemRect(first).center());
    picture("query");
    QTest::keyClick(&window_.canvas(), Qt::Key_X);
    for (int tab = 0; tab < 4; ++tab) {
      window_.tools().pathologies().tabs().setCurrentIndex(tab);
      picture(qPrintable(QStringLiteral("pathologies%1").arg(tab)));
    }
    QTest::keyClick(&window_.canvas(), Qt::Key_W);
    picture("why");
    QTest::keyClick(&window_.canvas(), Qt::Key_Question);
    QTest::qWait(200);
    if (auto* keys = window_.findChild<QDialog*>(QStringLiteral("keys"))) {
      keys->grab().save(QStringLiteral("%1/keys-%2.png").arg(folder, QLatin1String(theme)));
      keys->close();
    }
    window_.activateWindow();
    QTest::qWait(200);
    QTest::keyClick(&window_.canvas(), Qt::Key_D, Qt::ControlModifier);
  }
}

}  // namespace
}  // namespace rangescope::viewer
