#include "viewer/canvas/export.h"

#include <QBuffer>
#include <QPdfWriter>
#include <algorithm>
#include <cmath>

#include "viewer/canvas/svg_surface.h"

namespace rangescope::viewer {

namespace {

// Room for the legend below the graph, so that it hides nothing.
double legendRoom(const SceneFrame& frame, const ExportOptions& options) {
  const double ramp = options.heat && frame.mostHeat > 0 ? 60 : 0;
  const double entries = options.legend.empty() ? 0 : 17.0 * static_cast<double>(options.legend.size()) + 17;
  return ramp + entries > 0 ? ramp + entries + 24 : 0;
}

// Of the whole graph at full detail.
QSizeF pageSize(const SceneFrame& frame, const ExportOptions& options, double room) {
  const Rect& bounds = frame.layout.bounds;
  return {std::max(std::ceil(bounds.w + 2 * options.margin), room > 0 ? 240.0 : 16.0),
          std::ceil(bounds.h + 2 * options.margin) + room};
}

void paintAll(Surface& surface, const SceneFrame& frame, const ExportOptions& options, const ViewTransform& view,
              QSizeF size, std::optional<Detail> detail) {
  ScenePaint scene;
  scene.frame = &frame, scene.view = view, scene.viewport = size, scene.theme = options.theme,
  scene.heat = options.heat;
  scene.detail = detail;
  surface.box(QRectF(QPointF(0, 0), size), 0, {.fill = options.theme.background});
  renderScene(surface, scene);
  paintLegend(surface, options.theme, size, LegendPlace::Below, frame.graph.heatScale,
              options.heat ? frame.mostHeat : 0, options.legend);
}

}  // namespace

QImage renderImage(const SceneFrame& frame, const ExportOptions& options) {
  const Rect& bounds = frame.layout.bounds;
  const double room = legendRoom(frame, options);
  ViewTransform view;
  QSizeF size;
  if (options.size) {
    size = *options.size;
    view = ViewTransform::fitting(bounds, QSizeF(size.width(), size.height() - room), options.margin, options.scale);
  } else {
    const double longest = std::max({bounds.w, bounds.h + room, 1.0});
    view.scale = std::min(options.scale, std::max(options.mostPixels - 2 * options.margin - 2, 16.0) / longest);
    const double margin = options.margin * std::min(1.0, view.scale * 4);
    size = QSizeF(std::max(std::ceil(bounds.w * view.scale + 2 * margin), room > 0 ? 240.0 : 16.0),
                  std::ceil(bounds.h * view.scale + 2 * margin) + room);
    view = view.centered(bounds.center(), QSizeF(size.width(), size.height() - room));
  }
  QImage image(size.toSize(), QImage::Format_ARGB32_Premultiplied);
  QPainter painter(&image);
  TextCache text;
  PainterSurface surface(painter, text);
  paintAll(surface, frame, options, view, size, std::nullopt);
  return image;
}

QByteArray renderSvg(const SceneFrame& frame, const QString& title, const ExportOptions& options) {
  const double room = legendRoom(frame, options);
  const QSizeF size = pageSize(frame, options, room);
  const ViewTransform view =
      ViewTransform{}.centered(frame.layout.bounds.center(), QSizeF(size.width(), size.height() - room));
  SvgSurface svg;
  paintAll(svg, frame, options, view, size, Detail::Full);
  return svg.document(size, title);
}

QByteArray renderPdf(const SceneFrame& frame, const QString& title, const ExportOptions& options) {
  const double room = legendRoom(frame, options);
  const QSizeF size = pageSize(frame, options, room);
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setTitle(title);
  writer.setCreator(QStringLiteral("Rangescope"));
  // a scene unit is a point, up to the longest side that a page may have
  constexpr double kLongest = 14400;
  const double scale = std::min(1.0, kLongest / std::max(size.width(), size.height()));
  writer.setPageSize(QPageSize(size * scale, QPageSize::Point, {}, QPageSize::ExactMatch));
  writer.setPageMargins({});
  writer.setResolution(72);
  QPainter painter(&writer);
  painter.scale(scale, scale);
  TextCache text;
  PainterSurface surface(painter, text);
  const ViewTransform view =
      ViewTransform{}.centered(frame.layout.bounds.center(), QSizeF(size.width(), size.height() - room));
  paintAll(surface, frame, options, view, size, Detail::Full);
  painter.end();
  return bytes;
}

}  // namespace rangescope::viewer
