// The small picture of the whole graph and the legend: where they stand, and when the picture steps back.

#include <gtest/gtest.h>

#include <QPainter>

#include "tests/viewer/canvas/scenes.h"
#include "viewer/canvas/overlay.h"

namespace rangescope::viewer {
namespace {

using namespace testing;

class MinimapTest : public ::testing::Test {
 protected:
  // Painted on this picture from now on.
  void take(const SceneGraph& graph) {
    frame_ = SceneFrame::make(graph, metrics_, nullptr, withoutDot());
    scene_.frame = frame_.get();
    scene_.viewport = image_.size();
  }
  void paint(QPointF pointer = {-1, -1}) { minimap_.paint(painter_, scene_, pointer); }

  TextMetrics metrics_;
  std::shared_ptr<const SceneFrame> frame_;
  QImage image_{1000, 700, QImage::Format_ARGB32};
  QPainter painter_{&image_};
  ScenePaint scene_;
  Minimap minimap_;
};

TEST_F(MinimapTest, IsFaintWhereItCoversNodes) {
  take(randomScene(200, 3));
  const auto looking = [&](Point at, QPointF pointer = {-1, -1}) {
    scene_.view = ViewTransform{1, 0, 0}.centered(at, QSizeF(image_.size()));
    paint(pointer);
  };
  const Rect& bounds = frame_->layout.bounds;
  looking({bounds.x - 600, bounds.y - 400});  // past the graph's corner: nothing below the map
  ASSERT_FALSE(minimap_.area().isEmpty());
  EXPECT_FALSE(minimap_.faint());
  // a node right under the map
  const Point node = frame_->layout.nodes[100].center();
  const QPointF map = minimap_.area().center();
  const Point at{node.x - (map.x() - 500), node.y - (map.y() - 350)};
  looking(at);
  EXPECT_TRUE(minimap_.faint());
  looking(at, map);  // the pointer on it: it is wanted
  EXPECT_FALSE(minimap_.faint());
}

TEST_F(MinimapTest, GoesToACornerWithoutNodes) {
  take(smallScene());
  // the last node in the bottom right corner: the graph is above it, cut by the upper edge
  const Point end = frame_->layout.nodes[5].center();
  const double scale = 900 / frame_->layout.bounds.h;
  scene_.view = ViewTransform{scale, 950 - end.x * scale, 640 - end.y * scale};
  paint();
  ASSERT_FALSE(minimap_.area().isEmpty());
  EXPECT_FALSE(minimap_.faint());
  EXPECT_LT(minimap_.area().right(), 500);
  // it does not move while one pans
  const QRectF before = minimap_.area();
  scene_.view.dx -= 700;
  paint();
  EXPECT_EQ(minimap_.area(), before);
}

TEST_F(MinimapTest, TheLegendHidesNoNode) {
  take(smallScene());
  LegendSpot spot;
  const QRectF area(12, 588, 200, 100);
  const auto at = [&](const QRectF& map = {}) { return area.translated(spot.moved(scene_, area, map)); };
  const auto covers = [&](const QRectF& legend) {
    std::vector<uint32_t> below;
    frame_->grid.query(frame_->layout.nodes, scene_.view.toScene(legend), below);
    return !below.empty();
  };
  // bottom left where that is free
  scene_.view = ViewTransform{1, 0, 0}.centered(frame_->layout.bounds.center(), QSizeF(image_.size()));
  EXPECT_EQ(at(), area);
  // the last node there
  const Point end = frame_->layout.nodes[5].center();
  scene_.view = ViewTransform{1, 100 - end.x, 640 - end.y};
  ASSERT_TRUE(covers(area));
  EXPECT_EQ(at(), area);  // not while one pans
  spot.reset();
  const QRectF free = at();
  EXPECT_FALSE(covers(free));
  EXPECT_TRUE(QRectF(image_.rect()).contains(free));
  // nor over the minimap
  const QRectF elsewhere = at(free);
  EXPECT_FALSE(elsewhere.intersects(free));
  EXPECT_FALSE(covers(elsewhere));
}

}  // namespace
}  // namespace rangescope::viewer
