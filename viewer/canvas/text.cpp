#include "viewer/canvas/text.h"

#include <QFontDatabase>
#include <QFontMetricsF>
#include <algorithm>

namespace rangescope::viewer {

size_t columns(std::string_view utf8) {
  return std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

std::string cutLine(std::string_view line) {
  if (line.size() <= box::kMaxColumns || columns(line) <= box::kMaxColumns) return std::string(line);
  size_t bytes = 0;
  for (size_t seen = 0; bytes < line.size(); bytes++)
    if ((line[bytes] & 0xc0) != 0x80 && seen++ == box::kMaxColumns - 1) break;
  return std::string(line.substr(0, bytes)) + "\u2026";
}

QFont canvasFont(TextRole role) {
  const bool mono = role == TextRole::Line;
  QFont font = QFontDatabase::systemFont(mono ? QFontDatabase::FixedFont : QFontDatabase::GeneralFont);
  // Widths must not depend on zoom.
  font.setHintingPreference(QFont::PreferNoHinting);
  switch (role) {
    case TextRole::Title:
      font.setPixelSize(static_cast<int>(box::kTitlePixels)), font.setBold(true);
      break;
    case TextRole::Line:
      font.setPixelSize(static_cast<int>(box::kLinePixels));
      break;
    case TextRole::Badge:
      font.setPixelSize(static_cast<int>(box::kBadgePixels)), font.setBold(true);
      break;
    case TextRole::Hud:
      font.setPixelSize(11);
      break;
    case TextRole::HudBold:
      font.setPixelSize(12), font.setBold(true);
      break;
  }
  return font;
}

TextMetrics::TextMetrics() {
  for (size_t role = 0; role < kTextRoles; role++) {
    const QFontMetricsF metrics(canvasFont(static_cast<TextRole>(role)));
    Advances& advances = advances_[role];
    for (int c = 32; c < 127; c++) advances[c] = static_cast<float>(metrics.horizontalAdvance(QChar(c)));
    for (int c = 0; c < 32; c++) advances[c] = advances[' '];
    // Wide enough for what labels use beyond ASCII: arrows, multiplication signs, Greek.
    advances[127] = 0;
    for (const char16_t c : {u'\u2026', u'\u00d7', u'\u2192', u'\u03b1', u'\u00b1', u'\u2264'})
      advances[127] = std::max(advances[127], static_cast<float>(metrics.horizontalAdvance(QChar(c))));
  }
}

double TextMetrics::width(TextRole role, std::string_view text) const {
  const Advances& advances = advances_[static_cast<size_t>(role)];
  double sum = 0;
  for (const char c : text) {
    if ((c & 0xc0) == 0x80) continue;
    sum += advances[c & 0x80 ? 127 : c];
  }
  return sum;
}

Size TextMetrics::size(const SceneNode& node) const {
  double head = width(TextRole::Title, cutLine(node.title));
  for (const SceneBadge& b : node.badges) head += box::kBadgeGap + 2 * box::kBadgePad + width(TextRole::Badge, b.text);
  // A ghost is a reminder: its name is enough, and it takes less room from what lives.
  const bool small = node.state == NodeState::Ghost;
  double wide = head;
  size_t lines = small ? 0 : std::min(node.lines.size(), box::kMaxLines);
  for (size_t i = 0; i < lines; i++) wide = std::max(wide, width(TextRole::Line, cutLine(node.lines[i])));
  if (!small && !node.heatLabel.empty()) wide = std::max(wide, width(TextRole::Line, cutLine(node.heatLabel))), lines++;
  return {std::max(box::kMinWidth, std::ceil(wide + 2 * box::kPadX)),
          2 * box::kPadY + box::kTitleHeight + box::kLineHeight * static_cast<double>(lines)};
}

Sizes TextMetrics::sizes(const SceneGraph& graph) const {
  Sizes sizes;
  sizes.reserve(graph.nodes.size());
  for (const SceneNode& node : graph.nodes) sizes.push_back(size(node));
  // Room for the numbers of the edges that enter, as far as a box can grow.
  std::vector<uint32_t> entering(graph.nodes.size(), 0);
  for (const SceneEdge& e : graph.edges) ++entering[e.to];
  for (size_t v = 0; v < sizes.size(); v++) {
    if (graph.nodes[v].state == NodeState::Ghost || entering[v] < 2) continue;
    const double ports = std::min<double>(entering[v], box::kMostPortsInFull);
    sizes[v].w = std::max(sizes[v].w, ports * box::kPortWidth + 2 * box::kPadX);
  }
  return sizes;
}

const QFont& TextCache::font(TextRole role, int pixels) {
  const uint32_t kind = static_cast<uint32_t>(role) | static_cast<uint32_t>(pixels) << 8;
  auto it = fonts_.find(kind);
  if (it == fonts_.end()) {
    QFont font = canvasFont(role);
    if (pixels > 0) font.setPixelSize(pixels);
    it = fonts_.insert(kind, font);
  }
  return *it;
}

const QStaticText& TextCache::find(uint32_t kind, const QFont& font, std::string_view text) {
  // Bounded: a session that looks at every graph of a long trace must not keep every label.
  if (texts_.size() > 20000) texts_.clear();
  QByteArray key(reinterpret_cast<const char*>(&kind), sizeof kind);
  key.append(text.data(), static_cast<qsizetype>(text.size()));
  auto it = texts_.find(key);
  if (it == texts_.end()) {
    QStaticText laidOut(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
    laidOut.setTextFormat(Qt::PlainText);
    laidOut.setPerformanceHint(QStaticText::AggressiveCaching);
    laidOut.prepare(QTransform(), font);
    it = texts_.insert(key, laidOut);
  }
  return *it;
}

const QStaticText& TextCache::get(TextRole role, std::string_view text) {
  return find(static_cast<uint32_t>(role), font(role), text);
}

const QStaticText& TextCache::title(std::string_view text, int pixels) {
  return find(static_cast<uint32_t>(TextRole::Title) | static_cast<uint32_t>(pixels) << 8,
              font(TextRole::Title, pixels), text);
}

}  // namespace rangescope::viewer
