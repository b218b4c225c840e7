#pragma once

#include <QFont>
#include <QHash>
#include <QStaticText>
#include <QString>
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "viewer/layout/geometry.h"
#include "viewer/layout/graph.h"

namespace rangescope::viewer {

// Measures of a node's box in scene units, shared by layout (sizes) and painting.
namespace box {
constexpr double kPadX = 9;
constexpr double kPadY = 6;
constexpr double kTitleHeight = 17;
constexpr double kLineHeight = 14;
constexpr double kTitlePixels = 13;
constexpr double kLinePixels = 11;
constexpr double kBadgePixels = 9;
constexpr double kBadgePad = 5;
constexpr double kBadgeGap = 4;
constexpr double kMinWidth = 44;
constexpr double kRadius = 6;
constexpr double kPortWidth = 11;        // of the number of an edge that enters
constexpr size_t kMostPortsInFull = 24;  // with more, the numbers may overlap
constexpr size_t kMaxLines = 4;
constexpr size_t kMaxColumns = 60;
}  // namespace box

// `line` cut to box::kMaxColumns characters with an ellipsis. Never splits a UTF-8 sequence.
std::string cutLine(std::string_view line);
size_t columns(std::string_view utf8);  // code points

enum class TextRole : uint8_t { Title, Line, Badge, Hud, HudBold };
constexpr size_t kTextRoles = 5;
QFont canvasFont(TextRole role);

// Text widths without a font engine, so that any thread can size a scene. Made once on the GUI thread.
class TextMetrics {
 public:
  TextMetrics();
  double width(TextRole role, std::string_view text) const;

  Size size(const SceneNode& node) const;
  Sizes sizes(const SceneGraph& graph) const;

 private:
  // Advances of ASCII, and one of everything else at index 127.
  using Advances = std::array<float, 128>;
  std::array<Advances, kTextRoles> advances_;  // by role
};

// Laid-out text, kept between frames: op names and shapes repeat all over a graph.
class TextCache {
 public:
  // The layout of `text` in a role's font, or a title's at a given pixel size.
  const QStaticText& get(TextRole role, std::string_view text);
  const QStaticText& title(std::string_view text, int pixels);
  const QFont& font(TextRole role, int pixels = 0);

 private:
  const QStaticText& find(uint32_t kind, const QFont& font, std::string_view text);
  QHash<QByteArray, QStaticText> texts_;
  QHash<uint32_t, QFont> fonts_;
};

}  // namespace rangescope::viewer
