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

PaintCounts renderScene(Surface& surface, const ScenePaint& scene) {
  if (!scene.frame || scene.frame->graph.nodes.empty()) return {};
  return ScenePainting(surface, scene).run();
}

ScenePainting::ScenePainting(Surface& surface, const ScenePaint& scene)
    : out_(surface),
      pixels_(surface.pixels()),
      s_(scene),
      graph_(scene.frame->graph),
      scratch_(scene.scratch ? *scene.scratch : own_),
      // Rings, ports and tags reach a little beyond their node.
      visible_(scene.view.toScene(QRectF(QPointF(0, 0), scene.viewport)).grown(24 / scene.view.scale)),
      detail_(pixels_ ? scene.detail.value_or(detailAt(scene.view.scale)) : Detail::Full),
      whole_(!pixels_ || scene.detail == Detail::Full),
      nodes_(scratch_.nodes) {}

PaintCounts ScenePainting::run() {
  counts_.detail = detail_;
  if (pixels_) pixels_->painter().save();
  nodes_.clear();
  if (s_.motion) {
    // A moving node may come from outside the cells of its final place.
    for (uint32_t v = 0; v < graph_.nodes.size(); v++)
      if (rectOf(v).intersects(visible_)) nodes_.push_back(v);
  } else {
    s_.frame->grid.query(s_.frame->layout.nodes, visible_, nodes_);
  }
  counts_.nodes = nodes_.size();
  const auto part = [&](const char* name, void (ScenePainting::*paint)()) {
    out_.beginPart(name);
    (this->*paint)();
    out_.place({});
    out_.end();
  };
  if (s_.motion) part("leaving", &ScenePainting::paintLeavingEdges);
  part("edges", &ScenePainting::paintEdges);
  part("nodes", &ScenePainting::paintNodes);
  part("rings", &ScenePainting::paintRings);
  if (s_.marks) part("marks", &ScenePainting::paintMarks);
  if (pixels_) pixels_->painter().restore();
  return counts_;
}

QRgb ScenePainting::faint(QRgb color, double part) const {
  return mix(color, s_.theme.background | 0xff000000, part);
}

}  // namespace rangescope::viewer
