// What a key hides, lights or keeps: filters, the map, the names of a rule's pattern, the place one looks at.

#include <QCheckBox>
#include <QSettings>
#include <QTreeView>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/viewer/window/window_fixture.h"
#include "viewer/model/captures.h"
#include "viewer/panels/pass_tree_panel.h"
#include "viewer/panels/rule_panel.h"

namespace rangescope::viewer {
namespace {

class KeysTest : public WindowTest {
 protected:
  size_t nodes(const std::string& title) {
    return static_cast<size_t>(std::ranges::count(window_.canvas().frame()->graph.nodes, title, &SceneNode::title));
  }
  bool shows(const std::string& title, size_t count) {
    return waitFor([&] { return window_.settled() && nodes(title) == count; });
  }
  // A recorded program with a kernel.
  void openKernels() {
    window_.openTrace(QStringLiteral(RANGESCOPE_SOURCE_DIR "/tests/trace/data/version2.rscope"));
    ASSERT_TRUE(settle());
  }
};

TEST_F(KeysTest, SHidesTheSink) {
  open();
  ASSERT_EQ(nodes("SINK"), 1U);
  QTest::keyClick(&window_.canvas(), Qt::Key_S);
  EXPECT_TRUE(shows("SINK", 0));
  QTest::keyClick(&window_.canvas(), Qt::Key_S);
  EXPECT_TRUE(shows("SINK", 1));
}

TEST_F(KeysTest, IHidesIndexArithmetic) {
  open();
  ASSERT_GT(window_.canvas().frame()->graph.nodes.size(), 3U);
  QTest::keyClick(&window_.canvas(), Qt::Key_I);
  EXPECT_TRUE(waitFor([&] { return window_.canvas().frame()->graph.nodes.size() == 1; }));
  EXPECT_EQ(nodes("SINK"), 1U);
  // and says why where nothing is left
  QTest::keyClick(&window_.canvas(), Qt::Key_S);
  EXPECT_TRUE(waitFor([&] { return window_.canvas().frame()->graph.nodes.empty(); }));
  EXPECT_TRUE(window_.canvas().message().contains(QStringLiteral("hidden")));
  QTest::keyClick(&window_.canvas(), Qt::Key_I);
  EXPECT_TRUE(waitFor([&] { return window_.canvas().frame()->graph.nodes.size() > 2; }));
  EXPECT_TRUE(window_.canvas().message().isEmpty());
}

TEST_F(KeysTest, GShowsTheBodiesOfCalls) {
  openKernels();
  const size_t before = window_.canvas().frame()->graph.nodes.size();
  ASSERT_GE(nodes("CALL"), 1U);
  QTest::keyClick(&window_.canvas(), Qt::Key_G);
  EXPECT_TRUE(waitFor([&] { return window_.canvas().frame()->graph.nodes.size() > before; }));
  QTest::keyClick(&window_.canvas(), Qt::Key_G);
  EXPECT_TRUE(waitFor([&] { return window_.canvas().frame()->graph.nodes.size() == before; }));
}

TEST_F(KeysTest, PassesWithoutMatchesAreHiddenByAClick) {
  openKernels();
  const auto* model = window_.passTree().tree().model();
  const auto rows = [&] { return model->rowCount(model->index(0, 0, model->index(0, 0))); };
  const int all = rows();
  auto* hide = window_.passTree().findChild<QCheckBox*>();
  QTest::mouseClick(hide, Qt::LeftButton, {}, QPoint(8, hide->height() / 2));
  ASSERT_TRUE(hide->isChecked());
  EXPECT_LT(rows(), all);
  // the arrows skip them too
  for (int i = 0; i < 4; ++i) {
    key(Qt::Key_Down);
    EXPECT_GT(window_.navigator().length(), 0);
  }
  QTest::mouseClick(hide, Qt::LeftButton, {}, QPoint(8, hide->height() / 2));
  EXPECT_EQ(rows(), all);
}

TEST_F(KeysTest, VSwitchesTheMapAndItStaysSo) {
  open();
  EXPECT_TRUE(window_.canvas().minimapShown());
  QTest::keyClick(&window_.canvas(), Qt::Key_V);
  EXPECT_FALSE(window_.canvas().minimapShown());
  window_.close();
  {
    MainWindow again;
    EXPECT_FALSE(again.canvas().minimapShown());
  }
  QSettings().clear();
}

TEST_F(KeysTest, ADoubleClickFocusesANeighbourhoodAndEscapeWidens) {
  open();
  key(Qt::Key_Space);
  const uint32_t sink = window_.canvas().frame()->graph.nodes.back().key;
  QTest::mouseDClick(&window_.canvas(), Qt::LeftButton, {}, window_.canvas().nodeRect(sink).center().toPoint());
  EXPECT_EQ(window_.canvas().focusedNode(), sink);
  QTest::keyClick(&window_.canvas(), Qt::Key_Escape);
  EXPECT_FALSE(window_.canvas().focusedNode().has_value());
}

TEST_F(KeysTest, WhatThePatternNamesIsLitInTheGraph) {
  open();  // v + 0 is v: the pattern names v
  const auto& marks = window_.canvas().marks();
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_EQ(marks[0].label, "x");
  const auto& graph = window_.canvas().frame()->graph.nodes;
  const auto lit = std::ranges::find(graph, marks[0].key, &SceneNode::key);
  ASSERT_NE(lit, graph.end());
  EXPECT_NE(lit->title, "ADD");
  EXPECT_TRUE(window_.rulePanel().toHtml().contains(QColor::fromRgb(marks[0].color).name()));
  QTest::keyClick(&window_.canvas(), Qt::Key_Y);
  EXPECT_TRUE(window_.canvas().marks().empty());
  QTest::keyClick(&window_.canvas(), Qt::Key_Y);
  EXPECT_EQ(window_.canvas().marks().size(), 1U);
  key(Qt::Key_Home);  // no match, no names
  EXPECT_TRUE(window_.canvas().marks().empty());
}

TEST_F(KeysTest, ARuleLeadsToItsLineInTheEngineInAnEditor) {
  const auto known = ruleSource(RANGESCOPE_SOURCE_DIR, "merge-reshapes");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->file, "engine/symbolic/movement.cpp");
  EXPECT_FALSE(ruleSource(RANGESCOPE_SOURCE_DIR, "../x"));
  // of the rules of this trace the sources are elsewhere
  const std::string root = folder_.file("sources");
  std::filesystem::create_directories(root + "/engine/some");
  std::ofstream(root + "/engine/some/rules.cpp") << "// rules\n    {{\"add-zero\", \"x + 0 is x\", ...\n";
  window_.setSources(root);
  open();
  const QString where = QStringLiteral("engine/some/rules.cpp:2");
  ASSERT_TRUE(waitFor([&] { return window_.rulePanel().toPlainText().contains(where); }));
  const std::string note = folder_.file("note");
  qputenv("RANGESCOPE_EDITOR", QByteArray::fromStdString("sh -c \"echo {file} {line} > " + note + "\""));
  emit window_.rulePanel().anchorClicked(QUrl(QStringLiteral("firing:source")));
  qunsetenv("RANGESCOPE_EDITOR");
  std::string said;
  EXPECT_TRUE(waitFor([&] { return bool(std::getline(std::ifstream(note) >> std::ws, said)); }));
  EXPECT_EQ(said, root + "/engine/some/rules.cpp 2");
}

TEST(Captures, SourcesInAnyOrderAndAlternatives) {
  Store store;
  const UOp v = store.variable("v", 0, 9), two = store.constant(2), product = store.make(Op::MUL, {two, v});
  const char* const pattern =
      R"({"ops":["MUL"],"name":"m","sources":"permuted","src":[{"name":"x"},{"ops":["CONST"],"arg":2,"name":"c"}]})";
  const auto found = captures(pattern, product);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0], std::pair(std::string("m"), product));
  EXPECT_EQ(found[1], std::pair(std::string("c"), two));
  EXPECT_EQ(found[2], std::pair(std::string("x"), v));
  EXPECT_TRUE(captures(pattern, store.make(Op::MUL, {v, v})).empty());
  const char* const alternatives =
      R"({"sources":"any_of","src":[{"ops":["ADD"],"name":"a"},{"ops":["MUL"],"sources":"repeated","src":[{"name":"x"}],"name":"b"}]})";
  EXPECT_TRUE(captures(alternatives, product).empty());  // one name, two nodes
  ASSERT_EQ(captures(alternatives, store.make(Op::MUL, {v, v})).size(), 2U);
  EXPECT_TRUE(captures("not json", product).empty());
  EXPECT_TRUE(captures(R"({"sources":"exact","src":[{},{},{}]})", product).empty());
}

TEST_F(KeysTest, APassShowsThePlaceThatOneLeft) {
  open();
  key(Qt::Key_Home);
  const uint32_t node = window_.canvas().frame()->graph.nodes[0].key;
  GraphCanvas::Place place = window_.canvas().place();
  place.scale = 2.5;
  place.center = window_.canvas().frame()->layout.nodes[0].center();
  place.center.x += 20;
  window_.canvas().setPlace(place);
  const QRectF before = window_.canvas().nodeRect(node);
  key(Qt::Key_Down);
  EXPECT_NE(window_.canvas().place().scale, 2.5);
  key(Qt::Key_Up);
  EXPECT_EQ(window_.navigator().address(), (StepAddress{2, 0}));
  const QRectF after = window_.canvas().nodeRect(node);
  EXPECT_NEAR(after.x(), before.x(), 1);
  EXPECT_NEAR(after.y(), before.y(), 1);
  EXPECT_NEAR(after.width(), before.width(), 0.5);
}

TEST_F(KeysTest, ATraceOpensWhereOneLeftIt) {
  window_.setRemembersPlaces(true);
  open();
  key(Qt::Key_Down);
  key(Qt::Key_Home);
  GraphCanvas::Place place = window_.canvas().place();
  place.scale = 3;
  place.center = window_.canvas().frame()->layout.nodes[1].center();
  window_.canvas().setPlace(place);
  window_.close();
  {
    MainWindow again;
    again.setRemembersPlaces(true);
    again.canvas().setReducedMotion(true);
    again.QWidget::show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&again));
    again.openTrace(path_);
    ASSERT_TRUE(waitFor([&] { return again.navigator().address().pass != 0 && again.settled(); }));
    EXPECT_EQ(again.navigator().address(), (StepAddress{3, 0}));
    EXPECT_NEAR(again.canvas().place().scale, 3, 1e-9);
    const Point c = again.canvas().frame()->layout.nodes[1].center();
    EXPECT_NEAR(again.canvas().place().center.x, c.x, 1);
    EXPECT_NEAR(again.canvas().place().center.y, c.y, 1);
  }
  QSettings().clear();
}

}  // namespace
}  // namespace rangescope::viewer
