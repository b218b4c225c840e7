#include "viewer/canvas/export.h"

#include <QBuffer>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>

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

void paintAll(QPainter& painter, const SceneFrame& frame, const ExportOptions& options, const ViewTransform& view,
              QSizeF size, std::optional<Detail> detail) {
  TextCache text;
  ScenePaint scene;
  scene.frame = &frame, scene.view = view, scene.viewport = size, scene.theme = options.theme,
  scene.heat = options.heat;
  scene.detail = detail;
  painter.fillRect(QRectF(QPointF(0, 0), size), QColor::fromRgba(options.theme.background));
  renderScene(painter, text, scene);
  paintLegend(painter, text, options.theme, size, LegendPlace::Below, frame.graph.heatScale,
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
  paintAll(painter, frame, options, view, size, std::nullopt);
  return image;
}

QByteArray renderSvg(const SceneFrame& frame, const QString& title, const ExportOptions& options) {
  const double room = legendRoom(frame, options);
  const QSizeF size = pageSize(frame, options, room);
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setTitle(title);
  generator.setDescription(QStringLiteral("Made by Rangescope"));
  generator.setResolution(96);
  generator.setSize(size.toSize());
  generator.setViewBox(QRectF(QPointF(0, 0), size));
  QPainter painter(&generator);
  const ViewTransform view =
      ViewTransform{}.centered(frame.layout.bounds.center(), QSizeF(size.width(), size.height() - room));
  paintAll(painter, frame, options, view, size, Detail::Full);
  painter.end();
  return bytes;
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
  const ViewTransform view =
      ViewTransform{}.centered(frame.layout.bounds.center(), QSizeF(size.width(), size.height() - room));
  paintAll(painter, frame, options, view, size, Detail::Full);
  painter.end();
  return bytes;
}

}  // namespace rangescope::viewer
