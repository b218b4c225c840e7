#pragma once

#include <QByteArray>
#include <QImage>
#include <QSize>
#include <QString>
#include <vector>

#include "viewer/canvas/overlay.h"
#include "viewer/canvas/scene_painter.h"

namespace rangescope::viewer {

struct ExportOptions {
  CanvasTheme theme = CanvasTheme::light();
  bool heat = false;
  std::vector<LegendEntry> legend;
  double margin = 24;
  // Of a PNG: pixels a scene unit where that fits, less where the longer side would pass `mostPixels`.
  double scale = 1;
  int mostPixels = 8000;
  std::optional<QSize> size;  // exactly this size instead, the graph fitted into it
};

// A picture without a window; works on the offscreen platform.
QImage renderImage(const SceneFrame& frame, const ExportOptions& options = {});

// The whole graph at full detail, as an SVG document. `title` becomes the document's.
QByteArray renderSvg(const SceneFrame& frame, const QString& title, const ExportOptions& options = {});

// The same as a PDF of one page of the graph's size.
QByteArray renderPdf(const SceneFrame& frame, const QString& title, const ExportOptions& options = {});

}  // namespace rangescope::viewer
