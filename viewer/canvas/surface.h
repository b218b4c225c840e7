#pragma once

#include <QPainter>
#include <QPainterPath>
#include <array>
#include <string_view>
#include <vector>

#include "viewer/canvas/text.h"
#include "viewer/canvas/view_transform.h"
#include "viewer/layout/graph.h"

namespace rangescope::viewer {

class PainterSurface;

// How a shape is drawn: what is transparent is left out.
struct Ink {
  QRgb fill = 0;
  QRgb line = 0;
  double width = 1;
  bool dashed = false;
};

// What a scene in full detail, and the legend below it, is drawn on: pixels, a page, or an SVG document. Where things
// stand and how they look is decided above it, once for all of them.
class Surface {
 public:
  Surface() = default;
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;
  virtual ~Surface() = default;

  // What comes next has its coordinates there; at first those of the surface itself.
  virtual void place(const ViewTransform& view) = 0;
  virtual void box(const QRectF& area, double radius, const Ink& ink) = 0;
  virtual void path(const QPainterPath& path, const Ink& ink) = 0;
  virtual void triangle(const std::array<QPointF, 3>& corners, QRgb fill) = 0;
  // Colours from left to right, in even steps.
  virtual void ramp(const QRectF& area, double radius, const std::vector<QRgb>& colors) = 0;
  virtual void text(TextRole role, QPointF topLeft, std::string_view text, QRgb color) = 0;
  virtual QSizeF size(TextRole role, std::string_view text) = 0;

  // What is drawn until end() is this node, this edge, or a part of the picture. Pixels do not care.
  virtual void beginNode(const SceneNode&) {}
  virtual void beginEdge(const SceneEdge&, const SceneNode& /*from*/, const SceneNode& /*to*/) {}
  virtual void beginPart(const char* /*name*/) {}
  virtual void end() {}

  // For what is drawn in less than full detail; null where all is drawn in full.
  virtual PainterSurface* pixels() { return nullptr; }
};

class PainterSurface final : public Surface {
 public:
  PainterSurface(QPainter& painter, TextCache& text) : p_(painter), text_(text), base_(painter.transform()) {}

  void place(const ViewTransform& view) override;
  void box(const QRectF& area, double radius, const Ink& ink) override;
  void path(const QPainterPath& path, const Ink& ink) override;
  void triangle(const std::array<QPointF, 3>& corners, QRgb fill) override;
  void ramp(const QRectF& area, double radius, const std::vector<QRgb>& colors) override;
  void text(TextRole role, QPointF topLeft, std::string_view text, QRgb color) override;
  QSizeF size(TextRole role, std::string_view text) override { return text_.get(role, text).size(); }
  PainterSurface* pixels() override { return this; }
  QPainter& painter() { return p_; }
  TextCache& texts() { return text_; }

 private:
  QPainter& p_;
  TextCache& text_;
  QTransform base_;
};

}  // namespace rangescope::viewer
