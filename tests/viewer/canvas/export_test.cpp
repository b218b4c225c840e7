#include "viewer/canvas/export.h"

#include <gtest/gtest.h>

#include <QPainter>
#include <QSvgRenderer>
#include <QXmlStreamReader>

#include "tests/viewer/canvas/scenes.h"

namespace rangescope::viewer {
namespace {

using namespace testing;

TEST(Export, SvgHoldsEveryNodeAsText) {
  SceneGraph graph = smallScene();
  graph.nodes[2].heat = 0.5, graph.nodes[2].heatLabel = "1.20 ms";
  const auto frame = SceneFrame::make(graph, TextMetrics(), nullptr, withoutDot());
  ExportOptions options;
  options.heat = true;
  const QByteArray svg = renderSvg(*frame, "small", options);
  QXmlStreamReader xml(svg);
  QString text;
  while (!xml.atEnd())
    if (xml.readNext() == QXmlStreamReader::Characters) text += xml.text();
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  for (const SceneNode& node : graph.nodes)
    EXPECT_TRUE(text.contains(QString::fromStdString(node.title))) << node.title;
  EXPECT_TRUE(text.contains("1.20 ms"));
  EXPECT_TRUE(text.contains("share of kernel time"));
  QSvgRenderer renderer(svg);
  EXPECT_TRUE(renderer.isValid());
}

TEST(Export, PngShowsTheWholeGraphWithinBounds) {
  const auto frame = SceneFrame::make(randomScene(200, 3), TextMetrics(), nullptr, withoutDot());
  ExportOptions options;
  options.mostPixels = 1500;
  const QImage image = renderImage(*frame, options);
  EXPECT_LE(std::max(image.width(), image.height()), 1500);
  // Something is drawn near each side.
  const QRgb ground = options.theme.background;
  const auto drawn = [&](QRect area) {
    for (int y = area.top(); y <= area.bottom(); y++)
      for (int x = area.left(); x <= area.right(); x++)
        if (image.pixel(x, y) != ground) return true;
    return false;
  };
  const int m = 60, w = image.width(), h = image.height();
  EXPECT_TRUE(drawn({0, 0, w, m}) && drawn({0, h - m, w, m}) && drawn({0, 0, m, h}) && drawn({w - m, 0, m, h}));
}

TEST(Export, AskedSizeIsKept) {
  const auto frame = SceneFrame::make(smallScene(), TextMetrics(), nullptr, withoutDot());
  ExportOptions options;
  options.size = QSize(640, 360);
  EXPECT_EQ(renderImage(*frame, options).size(), QSize(640, 360));
}

}  // namespace
}  // namespace rangescope::viewer
