#pragma once

#include <QImage>
#include <QLineF>
#include <QList>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "viewer/canvas/scene_frame.h"
#include "viewer/canvas/surface.h"
#include "viewer/canvas/theme.h"

namespace rangescope::viewer {

// How much of a node is drawn, by the size it has on screen.
enum class Detail : uint8_t { Full, Name, Box, Density };
Detail detailAt(double scale);

// A node lit for a reason of its own, such as a capture of the rule that fired; `label` is drawn as a tag.
struct NodeMark {
  uint32_t key = 0;
  QRgb color = 0xff000000;
  std::string label = {};
};

// Memory that painting needs for the length of one frame. Kept by who paints again and again: some 15 MB for a large
// graph, and having their pages made anew for every frame takes longer than the painting.
struct PaintScratch {
  std::vector<uint32_t> nodes, plainEdges, litEdges;
  std::array<QList<QLineF>, 4> lines;
  struct Cell {
    float area = 0, r = 0, g = 0, b = 0;
  };
  std::vector<Cell> cells;
  QImage density;
};

struct ScenePaint {
  const SceneFrame* frame = nullptr;
  const Motion* motion = nullptr;  // to `frame`; with `progress`, eased
  double progress = 1;
  ViewTransform view;
  QSizeF viewport;
  CanvasTheme theme = CanvasTheme::light();
  bool heat = false;                 // fill by heat
  std::optional<Detail> detail;      // instead of that of the scale, for exports
  std::optional<uint32_t> selected;  // node indices
  std::optional<uint32_t> hovered;
  const std::vector<bool>* focus = nullptr;  // by node: false is drawn faint
  const std::vector<NodeMark>* marks = nullptr;
  PaintScratch* scratch = nullptr;  // none: for this frame alone
};

// What was drawn; a test of thinning and culling needs it, and so does the frame clock.
struct PaintCounts {
  size_t nodes = 0;
  size_t edges = 0;
  Detail detail = Detail::Full;
};

// The one painter of scenes: for the widget, PNG, SVG and print. Draws in full what has no pixels.
PaintCounts renderScene(Surface& surface, const ScenePaint& scene);

}  // namespace rangescope::viewer
