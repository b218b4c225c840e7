// Two graphs in one picture and as text, as a person asks for it.

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>

#include "tests/viewer/window/window_fixture.h"
#include "viewer/canvas/overlay.h"
#include "viewer/diff_dock.h"
#include "viewer/model/diff_scene.h"
#include "viewer/panels/diff_panel.h"
#include "viewer/panels/inspector_panel.h"

namespace rangescope::viewer {
namespace {

class DiffTest : public WindowTest {
 protected:
  DiffPanel& panel() { return window_.diff().panel(); }
  QString cell(int row, int column) { return panel().lines().model()->index(row, column).data().toString(); }
  QString all(int column) {
    QString s;
    for (int i = 0; i < panel().lines().model()->rowCount(); ++i) s += cell(i, column) + QLatin1Char('\n');
    return s;
  }
  bool says(const QString& text) {
    return waitFor([&] { return panel().said().text().contains(text); });
  }
};

TEST_F(DiffTest, DHoldsTheStepAgainstTheInputOfItsPass) {
  open();
  key(Qt::Key_Down);  // pass "double": MUL by 2 becomes ADD
  QTest::keyClick(&window_.canvas(), Qt::Key_D);
  ASSERT_TRUE(says(QStringLiteral("1 added, 1 removed")));
  EXPECT_TRUE(panel().isVisible());
  EXPECT_EQ(titles(NodeState::New), std::vector<std::string>{"ADD"});
  EXPECT_EQ(titles(NodeState::Ghost), std::vector<std::string>{"MUL"});
  EXPECT_TRUE(all(1).contains(QStringLiteral("MUL")));
  EXPECT_FALSE(all(2).contains(QStringLiteral("MUL")));
  EXPECT_TRUE(all(2).contains(QStringLiteral("ADD")));
  // a line of the text is a node of the graph
  for (int row = 0; row < panel().lines().model()->rowCount(); ++row)
    if (cell(row, 2).contains(QStringLiteral("ADD"))) {
      const QRect at = panel().lines().visualRect(panel().lines().model()->index(row, 2));
      QTest::mouseClick(panel().lines().viewport(), Qt::LeftButton, {}, at.center());
    }
  ASSERT_TRUE(waitFor([&] { return window_.inspector().toPlainText().startsWith(QStringLiteral("ADD")); }));
  // and off again
  QTest::keyClick(&window_.canvas(), Qt::Key_D);
  ASSERT_TRUE(waitFor([&] { return !window_.diff().on() && window_.settled(); }));
  EXPECT_FALSE(panel().onButton().isChecked());
}

TEST_F(DiffTest, TwoStepsOfDifferentPassesAreHeldAgainstEachOther) {
  open();
  key(Qt::Key_Home);  // the program as it came
  QTest::keyClick(&window_.canvas(), Qt::Key_D, Qt::ShiftModifier);
  key(Qt::Key_Down);
  key(Qt::Key_End);
  QTest::keyClick(&window_.canvas(), Qt::Key_D);
  // sink((v + 0) * 2, w + 0) has become sink(v + v, w): the product and a sum are gone, the other sum reads v twice
  ASSERT_TRUE(says(QStringLiteral("2 removed, 2 read other sources, 2 the same")))
      << panel().said().text().toStdString();
  EXPECT_EQ(titles(NodeState::Ghost).size(), 2U);
  EXPECT_TRUE(panel().lines().model()->headerData(1, Qt::Horizontal).toString().contains(QStringLiteral("clean")));
  EXPECT_TRUE(panel().lines().model()->headerData(2, Qt::Horizontal).toString().contains(QStringLiteral("double")));
  // without the context: every node of both
  const int rows = panel().lines().model()->rowCount();
  panel().changesOnly().setChecked(false);
  EXPECT_GE(panel().lines().model()->rowCount(), rows);
}

TEST_F(DiffTest, AnotherTraceOpensWhereTheTwoPart) {
  // the same program, doubled by another rule
  const QString other = QString::fromStdString(folder_.file("b.rscope"));
  {
    using namespace captures;
    static const RuleSet shifting("double",
                                  {{"double-by-shifting", "2 * x is x << 1", "", var(x) * 2, [](const Match& m) {
                                      return m.store().make(Op::SHL, {m[x], m.store().constant(1)});
                                    }}});
    Store store;
    auto recorder = trace::Recorder::create(other.toStdString(), store);
    ASSERT_TRUE(recorder);
    const UOp root = trace::sample_program(store);
    (*recorder)->begin_section("schedule", "sample", root);
    const ObserverScope scope(store, **recorder);
    {
      const PassGroup group(root.store(), "sample");
      const UOp clean = graph_rewrite(root, trace::drop_zero(), {.name = "clean"});
      graph_rewrite(clean, shifting, {.name = "double", .bottom_up = true});
    }
    ASSERT_TRUE((*recorder)->finish());
  }
  open();
  window_.compareWith(other);
  ASSERT_TRUE(says(QStringLiteral("added")));
  EXPECT_EQ(window_.navigator().address(), (StepAddress{3, 1}));
  EXPECT_TRUE(panel().parts().isVisible());
  EXPECT_TRUE(panel().parts().item(0, 1)->text().contains(QStringLiteral("pass 'double', match 0: the rule differs")));
  EXPECT_EQ(titles(NodeState::New), std::vector<std::string>{"SHL"});    // in B
  EXPECT_EQ(titles(NodeState::Ghost), std::vector<std::string>{"ADD"});  // in A
  // before that they are the same, and the arrow keys go on comparing
  key(Qt::Key_Left);
  ASSERT_TRUE(says(QStringLiteral("the same")));
  EXPECT_TRUE(titles(NodeState::New).empty());
}

TEST_F(DiffTest, TheSameTraceIsTheSame) {
  open();
  window_.compareWith(path_);
  ASSERT_TRUE(says(QStringLiteral("The two traces are the same.")));
}

TEST(GraphDiff, SourcesDtypesAndArgumentsAreToldApart) {
  Store store;
  const UOp v = store.variable("v", 0, 9), w = store.variable("w", 0, 9);
  const auto count = [](const GraphDiff& d, NodeChange c) { return d.counts[static_cast<size_t>(c)]; };
  // ADD(v, w) reads (w, w) now
  const UOp a = store.sink(UOps{store.make(Op::ADD, {v, w})}), b = store.sink(UOps{store.make(Op::ADD, {w, w})});
  const GraphDiff sources = graphDiff(a, b, {});
  EXPECT_EQ(count(sources, NodeChange::Resourced), 1U);
  EXPECT_EQ(count(sources, NodeChange::Removed), 1U);  // v
  EXPECT_EQ(count(sources, NodeChange::Added), 0U);
  EXPECT_EQ(std::ranges::count(sources.graph.edges, EdgeState::Resourced, &SceneEdge::state), 1);
  // a cast to another dtype is the same node, retyped
  const UOp f = store.sink(UOps{v.cast(DType::float32)}), g = store.sink(UOps{v.cast(DType::float16)});
  const GraphDiff types = graphDiff(f, g, {});
  EXPECT_EQ(count(types, NodeChange::Retyped), 1U);
  EXPECT_EQ(types.changed(), 1U);
  // a constant stands inside its user, and changes it
  const UOp two = store.sink(UOps{store.make(Op::MUL, {v, store.constant(2)})}),
            three = store.sink(UOps{store.make(Op::MUL, {v, store.constant(3)})});
  const GraphDiff constants = graphDiff(two, three, {});
  EXPECT_EQ(count(constants, NodeChange::Argument), 1U);
  for (const SceneNode& n : constants.graph.nodes)
    EXPECT_TRUE(n.title != "MUL" || n.lines.front() == "was 2") << n.lines.front();
  // a node put between
  const UOp between = store.sink(UOps{store.make(Op::ADD, {v.neg(), w})});
  const GraphDiff put = graphDiff(a, between, {});
  EXPECT_EQ(count(put, NodeChange::Removed), 0U);
  EXPECT_GE(count(put, NodeChange::Added), 1U);
  // a copy in the same store is the same graph
  Store elsewhere;
  EXPECT_EQ(copyInto(store, copyInto(elsewhere, between)), between);
}

TEST(Legend, TakesLittleOfASmallWindow) {
  QImage image(240, 180, QImage::Format_ARGB32_Premultiplied);
  QPainter painter(&image);
  TextCache text;
  PainterSurface surface(painter, text);
  const QRectF area = paintLegend(surface, CanvasTheme::light(), image.size(), LegendPlace::Over,
                                  HeatScale{"median time", "ms", 1}, 1.4, {{0xff0000ff, QStringLiteral("an entry")}});
  EXPECT_FALSE(area.isEmpty());
  EXPECT_LT(area.width() * area.height(), 240.0 * 180 / 8);
  EXPECT_TRUE(paintLegend(surface, CanvasTheme::light(), {150, 100}, LegendPlace::Over,
                          HeatScale{"median time", "ms", 1}, 1.4, {})
                  .isEmpty());
}

}  // namespace
}  // namespace rangescope::viewer
