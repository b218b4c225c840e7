#pragma once

#include <QPainter>
#include <QPixmap>
#include <QString>
#include <vector>

#include "viewer/canvas/scene_painter.h"

namespace rangescope::viewer {

struct LegendEntry {
  QRgb color = 0xff000000;
  QString label;
};

// A number under the heat ramp; `x` is its left end, from that of the ramp.
struct LegendTick {
  double x = 0, width = 0;
  QString label;
};
// Nothing, half and `mostHeat` with the unit: those that have room beside each other in `room`.
std::vector<LegendTick> legendTicks(Surface& out, const HeatScale& scale, double mostHeat, double room);

// Over a graph the legend shrinks with the viewport; below it, it has room of its own.
enum class LegendPlace : uint8_t { Over, Below };

// What the legend takes, bottom left; empty: nothing. `mostHeat` is the end of the ramp; where it is 0 there is none.
QRectF legendArea(Surface& out, QSizeF viewport, LegendPlace place, double mostHeat,
                  const std::vector<LegendEntry>& entries);
// The heat ramp with its numbers and the given colours, `moved` from the bottom left. Returns what it takes.
QRectF paintLegend(Surface& out, const CanvasTheme& theme, QSizeF viewport, LegendPlace place, const HeatScale& scale,
                   double mostHeat, const std::vector<LegendEntry>& entries, QPointF moved = {});

// Where the legend hides no node, or as little of them as it can. It stays there while one pans.
class LegendSpot {
 public:
  // The next paint at rest may choose another one.
  void reset() { choose_ = true; }
  // From the bottom left, where the legend would take `area`; not over `minimap`.
  QPointF moved(const ScenePaint& scene, const QRectF& area, const QRectF& minimap);

 private:
  QPointF moved_;
  bool choose_ = true;
};

// A node at reading size beside the pointer, for when the graph is too small to read.
void paintHoverCard(Surface& out, const CanvasTheme& theme, QSizeF viewport, QPointF pointer, const SceneNode& node);

// The whole graph, small, in the bottom right corner, or in another without nodes where that one has some. Drawn once a
// frame and kept.
class Minimap {
 public:
  // Forgets the picture; the next paint makes it anew.
  void reset() {
    picture_ = {};
    choose_ = true;
  }
  // Where it covers nodes it is drawn faintly, unless the pointer is on it.
  void paint(QPainter& painter, const ScenePaint& scene, QPointF pointer = {-1, -1});
  bool faint() const { return faint_; }
  // Empty while the view shows everything, and after a paint without a frame.
  QRectF area() const { return area_; }
  // The scene point that a point of the widget stands for.
  Point toScene(QPointF at) const { return map_.toScene(at - area_.topLeft()); }

 private:
  QPixmap picture_;
  QRectF area_;
  ViewTransform map_;
  QRgb background_ = 0;
  bool heat_ = false;
  bool faint_ = false;
  enum class Corner : uint8_t { BottomRight, TopRight, TopLeft };  // the legend has the fourth
  Corner corner_ = Corner::BottomRight;
  bool choose_ = true;
};

}  // namespace rangescope::viewer
