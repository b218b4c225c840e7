#include "viewer/canvas/scene_painter.h"

#include "viewer/canvas/op_style.h"
#include "viewer/canvas/painting.h"

namespace rangescope::viewer {

Detail detailAt(double scale) {
  if (scale >= 0.58) return Detail::Full;
  if (scale >= 0.2) return Detail::Name;
  if (scale >= 0.045) return Detail::Box;
  return Detail::Density;
}

PaintCounts renderScene(QPainter& painter, TextCache& text, const ScenePaint& scene) {
  if (!scene.frame || scene.frame->graph.nodes.empty()) return {};
  return ScenePainting(painter, text, scene).run();
}

ScenePainting::ScenePainting(QPainter& painter, TextCache& text, const ScenePaint& scene)
    : p_(painter),
      text_(text),
      s_(scene),
      graph_(scene.frame->graph),
      scratch_(scene.scratch ? *scene.scratch : own_),
      // Rings, ports and tags reach a little beyond their node.
      visible_(scene.view.toScene(QRectF(QPointF(0, 0), scene.viewport)).grown(24 / scene.view.scale)),
      detail_(scene.detail.value_or(detailAt(scene.view.scale))),
      nodes_(scratch_.nodes) {}

PaintCounts ScenePainting::run() {
  counts_.detail = detail_;
  p_.save();
  nodes_.clear();
  if (s_.motion) {
    // A moving node may come from outside the cells of its final place.
    for (uint32_t v = 0; v < graph_.nodes.size(); v++)
      if (rectOf(v).intersects(visible_)) nodes_.push_back(v);
  } else {
    s_.frame->grid.query(s_.frame->layout.nodes, visible_, nodes_);
  }
  counts_.nodes = nodes_.size();
  if (s_.motion) paintLeavingEdges();
  paintEdges();
  paintNodes();
  paintRings();
  paintMarks();
  p_.restore();
  return counts_;
}

QRgb ScenePainting::faint(QRgb color, double part) const {
  return mix(color, s_.theme.background | 0xff000000, part);
}

}  // namespace rangescope::viewer
