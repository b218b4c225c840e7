#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <cmath>

#include "tests/viewer/canvas/scenes.h"
#include "tests/viewer/wait_for.h"
#include "viewer/canvas/graph_canvas.h"

namespace rangescope::viewer {
namespace {

using namespace testing;

class CanvasTest : public ::testing::Test {
 protected:
  CanvasTest() {
    canvas_.resize(1000, 700);
    canvas_.setReducedMotion(true);
    canvas_.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&canvas_));
  }

  void show(const SceneGraph& graph) {
    canvas_.setFrame(SceneFrame::make(graph, metrics_, nullptr, withoutDot()), GraphCanvas::Transition::Show);
    canvas_.grab();
  }
  std::shared_ptr<const SceneFrame> after(const SceneGraph& graph) {
    return SceneFrame::make(graph, metrics_, canvas_.frame().get(), withoutDot());
  }
  QPoint middle(uint32_t key) { return canvas_.nodeRect(key).center().toPoint(); }
  void hover(QPoint at) {
    QMouseEvent move(QEvent::MouseMove, at, canvas_.mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(&canvas_, &move);
  }
  void wheel(QPoint at, int steps) {
    QWheelEvent event(at, canvas_.mapToGlobal(at), {}, QPoint(0, 120 * steps), Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&canvas_, &event);
  }
  void drag(QPoint from, QPoint to) {
    QTest::mousePress(&canvas_, Qt::LeftButton, {}, from);
    QMouseEvent move(QEvent::MouseMove, to, canvas_.mapToGlobal(to), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&canvas_, &move);
    QTest::mouseRelease(&canvas_, Qt::LeftButton, {}, to);
  }
  QColor pixel(QPoint at) { return canvas_.grab().toImage().pixelColor(at); }

  TextMetrics metrics_;
  GraphCanvas canvas_;
};

TEST_F(CanvasTest, AClickSelectsTheNodeUnderIt) {
  show(smallScene());
  QSignalSpy clicked(&canvas_, &GraphCanvas::nodeClicked);
  QTest::mouseClick(&canvas_, Qt::LeftButton, {}, middle(3));
  ASSERT_EQ(clicked.size(), 1);
  EXPECT_EQ(clicked[0][0].toUInt(), 3u);
  EXPECT_EQ(canvas_.selected(), 3u);
  QSignalSpy cleared(&canvas_, &GraphCanvas::selectionCleared);
  QTest::mouseClick(&canvas_, Qt::LeftButton, {}, QPoint(3, 3));
  EXPECT_EQ(cleared.size(), 1);
  EXPECT_FALSE(canvas_.selected());
}

TEST_F(CanvasTest, PickingIsRightAfterZoomAndPan) {
  show(randomScene(300, 2));
  QSignalSpy clicked(&canvas_, &GraphCanvas::nodeClicked);
  std::mt19937 random(1);
  int checked = 0;
  for (int round = 0; round < 60; round++) {
    const QPoint at(static_cast<int>(random() % 1000), static_cast<int>(random() % 700));
    wheel(at, static_cast<int>(random() % 5) - 2);
    drag(QPoint(500, 350),
         QPoint(500 + static_cast<int>(random() % 160) - 80, 350 + static_cast<int>(random() % 160) - 80));
    // Any node whose middle is in sight is the one that a click there selects.
    for (uint32_t i = 0; i < 300; i += 7) {
      const uint32_t key = canvas_.frame()->graph.nodes[i].key;
      const QPoint target = middle(key);
      if (!QRect(10, 10, 700, 400).contains(target) || canvas_.nodeRect(key).height() < 3) continue;
      clicked.clear();
      QTest::mouseClick(&canvas_, Qt::LeftButton, {}, target);
      ASSERT_EQ(clicked.size(), 1) << "round " << round;
      ASSERT_EQ(clicked[0][0].toUInt(), key) << "round " << round;
      checked++;
    }
  }
  EXPECT_GT(checked, 30);
}

TEST_F(CanvasTest, TheWheelZoomsAtThePointer) {
  show(smallScene());
  const QPoint at = middle(5);
  const double before = canvas_.view().scale;
  wheel(at, 3);
  EXPECT_GT(canvas_.view().scale, before * 1.5);
  EXPECT_NEAR(canvas_.nodeRect(5).center().x(), at.x(), 1);
  EXPECT_NEAR(canvas_.nodeRect(5).center().y(), at.y(), 1);
  wheel(at, -200);
  EXPECT_GT(canvas_.view().scale, 0.01);
}

TEST_F(CanvasTest, ADragPansAndSelectsNothing) {
  show(smallScene());
  QSignalSpy clicked(&canvas_, &GraphCanvas::nodeClicked);
  const QPointF before = canvas_.nodeRect(3).center();
  drag(middle(3), middle(3) + QPoint(70, -40));
  EXPECT_EQ(canvas_.nodeRect(3).center() - before, QPointF(70, -40));
  EXPECT_EQ(clicked.size(), 0);
}

TEST_F(CanvasTest, FitShowsAll) {
  for (uint32_t nodes : {1u, 40u, 900u}) {
    show(randomScene(nodes, 3));
    wheel(QPoint(10, 10), 8);
    canvas_.fitAll();
    for (const SceneNode& node : canvas_.frame()->graph.nodes)
      ASSERT_TRUE(QRectF(canvas_.rect()).contains(canvas_.nodeRect(node.key)));
    canvas_.grab();
    EXPECT_EQ(canvas_.lastPaint().nodes, nodes);
  }
}

TEST_F(CanvasTest, HoverLightsParentsAndChildren) {
  show(smallScene());
  QSignalSpy hovered(&canvas_, &GraphCanvas::nodeHovered);
  const QRectF source = canvas_.nodeRect(3), user = canvas_.nodeRect(6);
  const auto litPixels = [&](const QRectF& box, QRgb color) {
    const QImage image = canvas_.grab().toImage();
    int count = 0;
    const QRect around = box.adjusted(-5, -5, 5, 5).toRect();
    for (int y = around.top(); y < around.bottom(); y++)
      for (int x = around.left(); x < around.right(); x++) count += image.pixel(x, y) == color;
    return count;
  };
  EXPECT_EQ(litPixels(source, canvas_.theme().sourceLit), 0);
  hover(middle(5));
  ASSERT_EQ(hovered.size(), 1);
  EXPECT_EQ(hovered[0][0].toUInt(), 5u);
  EXPECT_GT(litPixels(source, canvas_.theme().sourceLit), 20);
  EXPECT_GT(litPixels(user, canvas_.theme().userLit), 20);
  hover(QPoint(2, 2));
  ASSERT_EQ(hovered.size(), 2);
  EXPECT_FALSE(hovered[1][1].toBool());
  EXPECT_EQ(litPixels(source, canvas_.theme().sourceLit), 0);
}

TEST_F(CanvasTest, DoubleClickFocusesAndEscapeWidens) {
  show(randomScene(200, 5));
  canvas_.fitAll();
  const uint32_t key = canvas_.frame()->graph.nodes[100].key;
  const ViewTransform before = canvas_.view();
  QSignalSpy activated(&canvas_, &GraphCanvas::nodeActivated), focus(&canvas_, &GraphCanvas::focusChanged);
  // As a hand does it: press, release, double press, release.
  QTest::mouseClick(&canvas_, Qt::LeftButton, {}, middle(key));
  QTest::mouseDClick(&canvas_, Qt::LeftButton, {}, middle(key));
  ASSERT_EQ(activated.size(), 1);
  EXPECT_EQ(activated[0][0].toUInt(), key);
  EXPECT_EQ(canvas_.focusedNode(), key);
  EXPECT_EQ(canvas_.selected(), key);
  EXPECT_GT(canvas_.view().scale, before.scale);
  QTest::keyClick(&canvas_, Qt::Key_Escape);
  EXPECT_FALSE(canvas_.focusedNode());
  EXPECT_EQ(canvas_.view(), before);
  EXPECT_EQ(focus.size(), 2);
  EXPECT_EQ(canvas_.selected(), key);
  QTest::keyClick(&canvas_, Qt::Key_Escape);
  EXPECT_FALSE(canvas_.selected());
}

TEST_F(CanvasTest, TheNextStepGlidesAndEndsInItsLayout) {
  show(smallScene());
  const auto from = canvas_.frame();
  canvas_.setReducedMotion(false);
  canvas_.setMotionMilliseconds(120);
  canvas_.setFrame(after(smallSceneAfter()));
  EXPECT_TRUE(canvas_.moving());
  const QImage early = canvas_.grab().toImage();
  EXPECT_TRUE(waitFor([&] { return !canvas_.moving(); }, 3000));
  const QImage end = canvas_.grab().toImage();
  EXPECT_NE(early, end);
  // The same picture without motion.
  GraphCanvas still;
  still.resize(canvas_.size());
  still.setReducedMotion(true);
  still.show();
  still.setFrame(canvas_.frame(), GraphCanvas::Transition::Show);
  still.setPlace(canvas_.place());
  EXPECT_EQ(still.grab().toImage(), end);
  // Nobody else moved.
  for (uint32_t key : {1u, 3u, 4u, 5u, 6u}) {
    const uint32_t a = *from->keys.find(key), b = *canvas_.frame()->keys.find(key);
    EXPECT_EQ(from->layout.nodes[a], canvas_.frame()->layout.nodes[b]) << key;
  }
}

TEST_F(CanvasTest, MotionIsSkippedByTheNextStepAndLeftOutOnRequest) {
  show(smallScene());
  canvas_.setReducedMotion(false);
  canvas_.setMotionMilliseconds(60000);
  canvas_.setFrame(after(smallSceneAfter()));
  ASSERT_TRUE(canvas_.moving());
  canvas_.finishMotion();
  EXPECT_FALSE(canvas_.moving());
  canvas_.setFrame(after(smallScene()), GraphCanvas::Transition::Cut);
  EXPECT_FALSE(canvas_.moving());
  canvas_.setReducedMotion(true);
  canvas_.setFrame(after(smallSceneAfter()), GraphCanvas::Transition::Glide);
  EXPECT_FALSE(canvas_.moving());
}

TEST_F(CanvasTest, GhostsAreDrawnDashedAndGoWithTheNextStep) {
  show(smallScene());
  canvas_.setFrame(after(smallSceneAfter()));
  EXPECT_EQ(canvas_.frame()->ghosts, 1u);
  const QRectF ghost = canvas_.nodeRect(2);
  ASSERT_FALSE(ghost.isEmpty());
  // The box of the ghost is nearly background, that of the new node is not; along its edge some is line, some gap.
  const QImage image = canvas_.grab().toImage();
  const QColor ground = QColor::fromRgba(canvas_.theme().background);
  const QColor inside =
      image.pixelColor(QPoint(static_cast<int>(ghost.left()) + 5, static_cast<int>(ghost.center().y())));
  EXPECT_LT(std::abs(inside.lightness() - ground.lightness()), 12);
  int line = 0, gap = 0;
  for (int x = static_cast<int>(ghost.left()) + 10; x < ghost.right() - 10; x++) {
    int darkest = 255;
    for (int dy = -1; dy <= 1; dy++)
      darkest = std::min(darkest, image.pixelColor(x, qRound(ghost.bottom()) + dy).lightness());
    (darkest < ground.lightness() - 40 ? line : gap)++;
  }
  EXPECT_GT(line, 4);
  EXPECT_GT(gap, 3);
  canvas_.setFrame(after(withGhosts(canvas_.frame()->graph, smallScene())));
  EXPECT_EQ(canvas_.frame()->ghosts, 1u);
  EXPECT_FALSE(canvas_.nodeRect(2).isEmpty());  // back as a node; PERMUTE is the ghost now
}

TEST_F(CanvasTest, TheUsersPlaceIsKeptWhileTheGraphChanges) {
  const SceneGraph graph = randomScene(400, 6);
  show(graph);
  canvas_.setFollowsChange(false);
  const uint32_t key = graph.nodes[200].key;
  canvas_.select(key);
  canvas_.reveal(key);
  const QPointF before = canvas_.nodeRect(key).center();
  SceneGraph next = graph;
  next.nodes[20].key = 5;
  next.nodes[20].lines = {"one", "two", "three", "four"};  // taller: everything below moves down
  canvas_.setFrame(after(next));
  EXPECT_NEAR(canvas_.nodeRect(key).center().x(), before.x(), 0.5);
  EXPECT_NEAR(canvas_.nodeRect(key).center().y(), before.y(), 0.5);
}

TEST_F(CanvasTest, TheViewFollowsAChangeThatIsOutOfSight) {
  const SceneGraph graph = randomScene(400, 6);
  show(graph);
  canvas_.reveal(graph.nodes[10].key);
  const double scale = canvas_.view().scale;
  SceneGraph next = graph;
  next.nodes[390].key = 5;
  next.nodes[390].state = NodeState::New;
  canvas_.setFrame(after(next));
  EXPECT_TRUE(QRectF(canvas_.rect()).contains(canvas_.nodeRect(5)));
  EXPECT_EQ(canvas_.view().scale, scale);
  // A change in sight does not move the view at all.
  const ViewTransform view = canvas_.view();
  SceneGraph again = next;
  again.nodes[390].key = 6;
  canvas_.setFrame(after(again));
  EXPECT_EQ(canvas_.view().dx, view.dx);
}

TEST_F(CanvasTest, WhatTheRuleMadeIsBroughtIntoViewThoughAGhostIsInSight) {
  const SceneGraph graph = randomScene(400, 6);
  show(graph);
  canvas_.reveal(graph.nodes[10].key);
  SceneGraph next = graph;
  next.nodes[10].state = NodeState::Ghost;
  next.nodes[390].key = 5;
  next.nodes[390].state = NodeState::New;
  canvas_.setFrame(after(next));
  EXPECT_TRUE(QRectF(canvas_.rect()).contains(canvas_.nodeRect(5)));
}

TEST_F(CanvasTest, DetailFallsWithSizeAndEdgesThinOut) {
  show(randomScene(6000, 1));
  canvas_.fitAll();
  canvas_.grab();
  EXPECT_EQ(canvas_.lastPaint().detail, Detail::Density);
  canvas_.setPlace({0.1, canvas_.place().center});
  canvas_.grab();
  EXPECT_EQ(canvas_.lastPaint().detail, Detail::Box);
  canvas_.setPlace({0.3, canvas_.place().center});
  canvas_.grab();
  EXPECT_EQ(canvas_.lastPaint().detail, Detail::Name);
  canvas_.setPlace({1, canvas_.place().center});
  canvas_.grab();
  EXPECT_EQ(canvas_.lastPaint().detail, Detail::Full);
  EXPECT_LT(canvas_.lastPaint().nodes, 120u);
}

TEST_F(CanvasTest, TheOverlayColoursByHeatAndShowsItsLegend) {
  SceneGraph graph = smallScene();
  graph.nodes[2].heat = 0.6, graph.nodes[2].heatLabel = "1.20 ms";
  graph.nodes[4].heat = 0.1, graph.nodes[4].heatLabel = "0.20 ms";
  show(graph);
  const auto fillAt = [&](uint32_t key) {
    const QRectF box = canvas_.nodeRect(key);
    return pixel(QPoint(static_cast<int>(box.right()) - 5, static_cast<int>(box.bottom()) - 5));
  };
  EXPECT_EQ(fillAt(3).rgb(), opColor("REDUCE"));
  canvas_.setHeatShown(true);
  EXPECT_EQ(fillAt(3).rgb(), heatColor(1, false));
  EXPECT_EQ(fillAt(5).rgb(), heatColor(0.1 / 0.6, false));
  EXPECT_NE(pixel(QPoint(20, 680)), QColor::fromRgba(canvas_.theme().background));
  canvas_.setHeatShown(false);
  EXPECT_EQ(fillAt(3).rgb(), opColor("REDUCE"));
}

TEST_F(CanvasTest, TheMinimapMovesTheView) {
  show(randomScene(500, 8));
  canvas_.setPlace({1, {canvas_.frame()->layout.bounds.x, canvas_.frame()->layout.bounds.y}});
  canvas_.grab();
  const QPointF before = canvas_.nodeRect(canvas_.frame()->graph.nodes[0].key).center();
  // The middle of the map is the middle of the graph.
  const QPoint corner(canvas_.width() - 13 - 20, canvas_.height() - 13 - 20);
  QTest::mouseClick(&canvas_, Qt::LeftButton, {}, corner);
  EXPECT_NE(canvas_.nodeRect(canvas_.frame()->graph.nodes[0].key).center(), before);
  EXPECT_FALSE(canvas_.selected());
}

TEST_F(CanvasTest, KeysWalkAlongTheGraph) {
  show(smallScene());
  canvas_.select(5);
  canvas_.selectSource();
  EXPECT_EQ(canvas_.selected(), 3u);
  canvas_.selectUser();
  EXPECT_EQ(canvas_.selected(), 5u);
  canvas_.selectSource();
  canvas_.selectSibling(1);
  EXPECT_EQ(canvas_.selected(), 4u);
  canvas_.selectSibling(-1);
  EXPECT_EQ(canvas_.selected(), 3u);
}

TEST_F(CanvasTest, PlaceIsRestored) {
  show(randomScene(100, 1));
  canvas_.setPlace({0.7, {120, 340}});
  const GraphCanvas::Place place = canvas_.place();
  EXPECT_NEAR(place.center.x, 120, 1e-6);
  EXPECT_NEAR(place.center.y, 340, 1e-6);
  // Also when it is set before the widget has a size.
  GraphCanvas other;
  other.setFrame(canvas_.frame(), GraphCanvas::Transition::Show);
  other.setPlace(place);
  other.resize(600, 400);
  other.show();
  other.grab();
  EXPECT_NEAR(other.place().center.x, 120, 1e-6);
  EXPECT_EQ(other.place().scale, 0.7);
}

TEST_F(CanvasTest, WithoutAGraphItSaysWhatToDo) {
  canvas_.setMessage("Open a trace.");
  canvas_.setFrame(nullptr);
  const QImage image = canvas_.grab().toImage();
  int dark = 0;
  for (int y = 300; y < 400; y++)
    for (int x = 300; x < 700; x++) dark += image.pixelColor(x, y).lightness() < 140;
  EXPECT_GT(dark, 30);
  for (const auto key : {Qt::Key_Escape, Qt::Key_Plus, Qt::Key_Minus}) QTest::keyClick(&canvas_, key);
  canvas_.fitAll(), canvas_.fitChange(), canvas_.fitSelection(), canvas_.selectSource(), canvas_.widen();
  canvas_.setFrame(SceneFrame::make({}, metrics_));
  canvas_.grab();
}

}  // namespace
}  // namespace rangescope::viewer
