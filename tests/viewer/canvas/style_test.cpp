#include <gtest/gtest.h>

#include <QFontMetricsF>

#include "tests/viewer/canvas/scenes.h"
#include "viewer/canvas/op_style.h"
#include "viewer/canvas/overlay.h"
#include "viewer/canvas/svg_surface.h"
#include "viewer/canvas/theme.h"

namespace rangescope::viewer {
namespace {

using namespace testing;

TEST(Legend, NumbersStandApart) {
  SvgSurface surface;
  for (const HeatScale& scale : {HeatScale{}, HeatScale{"operations a second", "GFLOP/s", 1}})
    for (const double most : {0.004, 0.6, 5.2, 123.0, 98765.0, 1e12})
      for (const double room : {180.0, 60.0}) {
        const auto ticks = legendTicks(surface, scale, most, room);
        ASSERT_FALSE(ticks.empty());
        EXPECT_TRUE(ticks.back().label.endsWith(QString::fromStdString(scale.unit)));
        EXPECT_DOUBLE_EQ(ticks.back().x + ticks.back().width, room);
        for (size_t i = 1; i < ticks.size(); i++)
          EXPECT_LE(ticks[i - 1].x + ticks[i - 1].width + 4, ticks[i].x) << ticks[i].label.toStdString();
      }
  EXPECT_EQ(legendTicks(surface, {"operations a second", "GFLOP/s", 1}, 5.2, 180).size(), 3U);
}

TEST(OpStyle, KnownColours) {
  EXPECT_EQ(opColor("LOAD"), 0xffffc0c0);
  EXPECT_EQ(opColor("STORE"), 0xff87ceeb);
  EXPECT_EQ(opColor("ADD"), opColor("WHERE"));
  EXPECT_EQ(opColor("RESHAPE"), opColor("STACK"));
  EXPECT_EQ(opColor("SINK"), 0xffffffff);
  EXPECT_EQ(opColor(""), 0xffffffff);
}

TEST(OpStyle, TextIsReadableOnEveryFill) {
  EXPECT_EQ(textOn(opColor("PARAM")), 0xffffffff);
  EXPECT_EQ(textOn(opColor("CONST")), 0xff000000);
  for (const char* op : {"LOAD", "STORE", "CONST", "REDUCE", "RANGE", "INDEX", "ADD", "BUFFER", "PARAM", "COPY", "CALL",
                         "FUNCTION", "CONTIGUOUS", "STAGE", "AFTER", "END", "ALLREDUCE", "SPECIAL", "BARRIER"})
    for (Palette palette : {Palette::Known, Palette::Safe})
      EXPECT_GE(contrast(opColor(op, palette), textOn(opColor(op, palette))), 4.5) << op;
  for (int k = 0; k <= 100; k++)
    for (bool dark : {false, true}) {
      const QRgb fill = heatColor(k / 100.0, dark);
      EXPECT_GE(contrast(fill, textOn(fill)), 4.5) << k;
    }
}

TEST(Theme, TextKeepsItsContrast) {
  for (const CanvasTheme& theme : {CanvasTheme::light(), CanvasTheme::darkTheme()})
    for (QRgb color : {theme.text, theme.mutedText, theme.selection, theme.match, theme.sourceLit, theme.userLit})
      EXPECT_GE(contrast(color, theme.background), 4.5);
}

// Relative luminance must rise or fall all along the ramp, for those who see no hue.
TEST(Theme, HeatIsMonotonousInLightness) {
  for (bool dark : {false, true})
    for (int k = 0; k < 64; k++) {
      const double a = contrast(heatColor(k / 64.0, dark), 0xff000000);
      const double b = contrast(heatColor((k + 1) / 64.0, dark), 0xff000000);
      EXPECT_TRUE(dark ? b > a : b < a) << k;
    }
}

TEST(Text, LongLinesAreCutAtCharacters) {
  const std::string line(200, 'x');
  EXPECT_EQ(columns(cutLine(line)), box::kMaxColumns);
  std::string umlauts;
  for (int i = 0; i < 100; i++) umlauts += "\u00e4";
  const std::string cut = cutLine(umlauts);
  EXPECT_EQ(columns(cut), box::kMaxColumns);
  EXPECT_EQ(cut.size(), 2 * (box::kMaxColumns - 1) + 3);
  EXPECT_EQ(cutLine("short"), "short");
}

TEST(Text, NodesHoldTheirText) {
  const TextMetrics metrics;
  const QFontMetricsF title(canvasFont(TextRole::Title)), line(canvasFont(TextRole::Line));
  for (const SceneNode& node : testing::randomScene(60, 2).nodes) {
    const Size size = metrics.size(node);
    EXPECT_GE(size.w, title.horizontalAdvance(QString::fromStdString(node.title)) + box::kPadX);
    for (const std::string& l : node.lines)
      EXPECT_GE(size.w, line.horizontalAdvance(QString::fromStdString(l)) + box::kPadX);
  }
}

TEST(GridIndex, FindsWhatAScanFinds) {
  std::mt19937 random(3);
  std::vector<Rect> rects;
  rects.reserve(800);
  for (int i = 0; i < 800; i++)
    rects.push_back({static_cast<double>(random() % 5000), static_cast<double>(random() % 900),
                     10.0 + static_cast<double>(random() % 300), 10.0 + static_cast<double>(random() % 40)});
  const GridIndex grid(rects);
  std::vector<uint32_t> found;
  for (int round = 0; round < 200; round++) {
    const Rect area{static_cast<double>(random() % 5200) - 100, static_cast<double>(random() % 1000) - 50,
                    static_cast<double>(random() % 900), static_cast<double>(random() % 300)};
    grid.query(rects, area, found);
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < rects.size(); i++)
      if (rects[i].intersects(area)) expected.push_back(i);
    EXPECT_EQ(found, expected);
    const auto at = grid.at(rects, {area.x, area.y});
    std::optional<uint32_t> top;
    for (uint32_t i = 0; i < rects.size(); i++)
      if (rects[i].contains({area.x, area.y})) top = i;
    EXPECT_EQ(at, top);
  }
}

TEST(SceneFrame, ManyGhostsDoNotHideWhatCameInstead) {
  for (const uint32_t ghosts : {3U, 40U}) {
    SceneGraph graph;
    graph.nodes.push_back({.key = 1, .title = "NEW", .lines = {}, .state = NodeState::New});
    for (uint32_t i = 0; i < ghosts; i++) {
      graph.nodes.push_back({.key = i + 2, .title = "GONE", .lines = {}, .state = NodeState::Ghost});
      graph.edges.push_back({i + 1, i, 0, 1, EdgeState::Ghost});
    }
    const auto frame = SceneFrame::make(graph, TextMetrics(), nullptr, withoutDot());
    EXPECT_EQ(frame->changed.h > frame->layout.nodes[0].h, ghosts == 3) << ghosts;
  }
}

TEST(TextMetrics, ABoxHasRoomForTheNumbersOfItsEdges) {
  SceneGraph graph;
  for (uint32_t i = 0; i < 9; i++) graph.nodes.push_back({.key = i + 1, .title = "A", .lines = {}});
  for (uint16_t i = 0; i < 8; i++) graph.edges.push_back({i, 8, i, 8});
  const Sizes sizes = TextMetrics().sizes(graph);
  EXPECT_GE(sizes[8].w, 8 * box::kPortWidth);
  EXPECT_LT(sizes[0].w, sizes[8].w);
}

}  // namespace
}  // namespace rangescope::viewer
