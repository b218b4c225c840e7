#include "viewer/canvas/export.h"

#include <gtest/gtest.h>

#include <QPainter>
#include <QSvgRenderer>
#include <QXmlStreamReader>
#include <cstdlib>
#include <map>
#include <set>

#include "tests/viewer/canvas/scenes.h"

namespace rangescope::viewer {
namespace {

using namespace testing;

// What an XML parser finds in a document.
struct Read {
  std::set<QString> nodes;  // ids
  std::map<QString, int> classes;
  QStringList texts;
  QString error;
};

Read read(const QByteArray& svg) {
  Read found;
  QXmlStreamReader xml(svg);
  while (!xml.atEnd()) {
    if (xml.readNext() != QXmlStreamReader::StartElement) continue;
    const QString kind = xml.attributes().value("class").toString();
    if (xml.name() == QLatin1String("g")) ++found.classes[kind];
    if (kind.startsWith("node")) found.nodes.insert(xml.attributes().value("id").toString());
    if (xml.name() == QLatin1String("text")) found.texts << xml.readElementText();
  }
  if (xml.hasError()) found.error = xml.errorString();
  return found;
}

// A step with all that a picture can show: ghosts, what is new and matched, badges, heat, and a legend.
SceneGraph richScene() {
  SceneGraph graph = smallSceneAfter();
  graph.nodes[0].badges = {{"GLOBAL", 0xff75bd7b}};
  graph.nodes[0].state = NodeState::Match;
  graph.nodes[2].heat = 0.5, graph.nodes[2].heatLabel = "1.20 ms";
  return graph;
}

ExportOptions richOptions() {
  ExportOptions options;
  options.heat = true;
  options.legend = {{0xff3060c0, "an entry"}};
  return options;
}

TEST(Svg, HoldsEveryNodeAsText) {
  const auto frame = SceneFrame::make(richScene(), TextMetrics(), nullptr, withoutDot());
  const QByteArray svg = renderSvg(*frame, "small", richOptions());
  const Read found = read(svg);
  EXPECT_EQ(found.error, QString());
  for (const SceneNode& node : frame->graph.nodes) {
    EXPECT_TRUE(found.nodes.contains(QStringLiteral("n%1").arg(node.key))) << node.key;
    EXPECT_TRUE(found.texts.contains(QString::fromStdString(node.title))) << node.title;
  }
  for (const char* text : {"GLOBAL", "1.20 ms", "share of kernel time", "an entry"})
    EXPECT_TRUE(found.texts.contains(text)) << text;
  EXPECT_EQ(found.classes.at("node ghost"), 1);
  EXPECT_EQ(found.classes.at("node new"), 1);
  EXPECT_EQ(found.classes.at("edge resourced"), 1);
  EXPECT_EQ(svg, renderSvg(*frame, "small", richOptions()));
}

TEST(Svg, LooksLikeThePng) {
  const auto frame = SceneFrame::make(richScene(), TextMetrics(), nullptr, withoutDot());
  for (const CanvasTheme& theme : {CanvasTheme::light(), CanvasTheme::darkTheme()}) {
    ExportOptions options = richOptions();
    options.theme = theme;
    const QImage png = renderImage(*frame, options).convertToFormat(QImage::Format_RGB32);
    // Qt's renderer knows no lists of fonts.
    QByteArray document = renderSvg(*frame, "small", options);
    document.replace("',sans-serif", "'").replace("',monospace", "'");
    QSvgRenderer renderer(document);
    ASSERT_TRUE(renderer.isValid());
    ASSERT_EQ(renderer.defaultSize(), png.size());
    QImage svg(png.size(), QImage::Format_RGB32);
    QPainter painter(&svg);
    renderer.render(&painter);
    painter.end();
    // Blurred to parts that a letter half a pixel aside does not change, but a missing shape or colour does.
    constexpr int kPart = 6;
    const QSize small(png.width() / kPart, png.height() / kPart);
    const auto blurred = [&](const QImage& image) {
      return image.scaled(small, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    };
    const QImage a = blurred(png), b = blurred(svg);
    int most = 0;
    for (int y = 0; y < small.height(); y++)
      for (int x = 0; x < small.width(); x++)
        most = std::max({most, std::abs(qRed(a.pixel(x, y)) - qRed(b.pixel(x, y))),
                         std::abs(qGreen(a.pixel(x, y)) - qGreen(b.pixel(x, y))),
                         std::abs(qBlue(a.pixel(x, y)) - qBlue(b.pixel(x, y)))});
    EXPECT_LT(most, 60);
  }
}

TEST(Svg, TextOfStrangersIsText) {
  SceneGraph graph = smallScene();
  graph.nodes[0].title = "A<\"&'>";
  graph.nodes[0].lines = {"x < 5 & y", "\u03b1  \u2192 b", "bell \a", "no \xff utf", "]]> </text><script/>"};
  const auto frame = SceneFrame::make(graph, TextMetrics(), nullptr, withoutDot());
  const QByteArray svg = renderSvg(*frame, "<a & b>");
  const Read found = read(svg);
  EXPECT_EQ(found.error, QString());
  EXPECT_TRUE(found.texts.contains("A<\"&'>"));
  EXPECT_TRUE(found.texts.contains("x < 5 & y"));
  EXPECT_TRUE(found.texts.contains(QStringLiteral("\u03b1  \u2192 b")));
  EXPECT_TRUE(found.texts.contains(QStringLiteral("bell \ufffd")));
  EXPECT_TRUE(found.texts.contains(QStringLiteral("no \ufffd utf")));
  EXPECT_FALSE(svg.contains("<script"));
  EXPECT_TRUE(QSvgRenderer(svg).isValid());
}

TEST(Svg, TenThousandNodesAreReadBack) {
  const auto frame = SceneFrame::make(randomScene(10000, 7), TextMetrics(), nullptr, withoutDot());
  const QByteArray svg = renderSvg(*frame, "large");
  const Read found = read(svg);
  EXPECT_EQ(found.error, QString());
  EXPECT_EQ(found.nodes.size(), frame->graph.nodes.size());
  EXPECT_EQ(static_cast<size_t>(found.classes.at("edge")), frame->graph.edges.size());
  // What is drawn alike is described once.
  EXPECT_LT(svg.size(), 1500 * 10000);
  EXPECT_LT(svg.left(svg.indexOf("</style>")).count('{'), 100);
  // Where code is instrumented Qt takes seconds for so many; of few nodes it reads them there, too.
  if (qEnvironmentVariableIsSet("RANGESCOPE_SANITIZED")) return;
  QSvgRenderer renderer(svg);
  EXPECT_TRUE(renderer.isValid());
  EXPECT_TRUE(renderer.elementExists(QStringLiteral("n%1").arg(frame->graph.nodes.back().key)));
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
