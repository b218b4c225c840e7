#pragma once

#include <QPointF>
#include <QRectF>

#include "viewer/layout/geometry.h"

namespace rangescope::viewer {

inline QRectF toQt(const Rect& r) {
  return {r.x, r.y, r.w, r.h};
}
inline QPointF toQt(Point p) {
  return {p.x, p.y};
}

// Scene to widget: screen = scale * scene + offset, in device-independent pixels.
struct ViewTransform {
  double scale = 1;
  double dx = 0;
  double dy = 0;
  bool operator==(const ViewTransform&) const = default;

  QPointF toScreen(Point p) const { return {p.x * scale + dx, p.y * scale + dy}; }
  QRectF toScreen(const Rect& r) const { return {r.x * scale + dx, r.y * scale + dy, r.w * scale, r.h * scale}; }
  Point toScene(QPointF p) const { return {(p.x() - dx) / scale, (p.y() - dy) / scale}; }
  Rect toScene(const QRectF& r) const {
    const Point a = toScene(r.topLeft());
    return {a.x, a.y, r.width() / scale, r.height() / scale};
  }

  // Zooms with the scene point under `at` staying there.
  ViewTransform zoomed(double factor, QPointF at, double least, double most) const {
    const double next = std::clamp(scale * factor, least, most), k = next / scale;
    return {next, at.x() - (at.x() - dx) * k, at.y() - (at.y() - dy) * k};
  }
  ViewTransform centered(Point scene, QSizeF viewport) const {
    return {scale, viewport.width() / 2 - scene.x * scale, viewport.height() / 2 - scene.y * scale};
  }
  // The largest scale, `most` at most, that shows all of `area` with a margin, and its middle in the middle.
  static ViewTransform fitting(const Rect& area, QSizeF viewport, double margin, double most) {
    const double w = std::max(viewport.width() - 2 * margin, 10.0), h = std::max(viewport.height() - 2 * margin, 10.0);
    ViewTransform v;
    v.scale = std::min({w / std::max(area.w, 1.0), h / std::max(area.h, 1.0), most});
    return v.centered(area.center(), viewport);
  }
  static ViewTransform between(const ViewTransform& a, const ViewTransform& b, double t) {
    return {a.scale + (b.scale - a.scale) * t, a.dx + (b.dx - a.dx) * t, a.dy + (b.dy - a.dy) * t};
  }
};

}  // namespace rangescope::viewer
