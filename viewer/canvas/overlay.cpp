#include "viewer/canvas/overlay.h"

#include <QPaintDevice>
#include <algorithm>
#include <cmath>
#include <limits>

#include "viewer/canvas/op_style.h"

namespace rangescope::viewer {

namespace {

constexpr double kRoomForLegend = 420;
constexpr double kBelowMessage = 46;  // a line about the picture stands above

void panel(Surface& out, const CanvasTheme& theme, const QRectF& area) {
  out.box(area.adjusted(0.5, 0.5, -0.5, -0.5), 6, {.fill = theme.hud, .line = theme.hudBorder});
}

QString amount(double heat, const HeatScale& scale) {
  const double v = heat * scale.factor;
  return QString::number(v, 'f', v < 0.995 ? 2 : v < 9.95 ? 1 : 0);
}

double textWidth(Surface& out, const QString& s) {
  return out.size(TextRole::Hud, s.toStdString()).width();
}

void put(Surface& out, QPointF at, const QString& s, QRgb color) {
  out.text(TextRole::Hud, at, s.toStdString(), color);
}

}  // namespace

std::vector<LegendTick> legendTicks(Surface& out, const HeatScale& scale, double mostHeat, double room) {
  constexpr double kGap = 6;
  const QString low = QStringLiteral("0"), middle = amount(mostHeat / 2, scale),
                high = amount(mostHeat, scale) + QLatin1Char(' ') + QString::fromStdString(scale.unit);
  const LegendTick first{0, textWidth(out, low), low}, last{room - textWidth(out, high), textWidth(out, high), high},
      between{(room - textWidth(out, middle)) / 2, textWidth(out, middle), middle};
  std::vector<LegendTick> ticks;
  if (first.x + first.width + kGap <= last.x) ticks.push_back(first);
  if (between.x + between.width + kGap <= last.x) ticks.push_back(between);
  ticks.push_back(last);
  return ticks;
}

namespace {

// In a small window, a third of the size: the numbers alone.
struct LegendSizes {
  bool small;
  double pad = small ? 6 : 10, rampWidth = small ? 96 : 180, rampHeight = small ? 20 : 38, gap = small ? 6 : 12;
  double row = 17;

  LegendSizes(QSizeF viewport, LegendPlace place)
      : small(place == LegendPlace::Over &&
              (viewport.width() < kRoomForLegend || viewport.height() < kRoomForLegend * 0.75)) {}
};

}  // namespace

QRectF legendArea(Surface& out, QSizeF viewport, LegendPlace place, double mostHeat,
                  const std::vector<LegendEntry>& entries) {
  const bool ramp = mostHeat > 0;
  if (!ramp && entries.empty()) return {};
  const LegendSizes s(viewport, place);
  if (s.small && (!ramp || viewport.width() < 180 || viewport.height() < 120)) return {};
  double width = ramp ? s.rampWidth : 0;
  if (!s.small)
    for (const LegendEntry& e : entries) width = std::max(width, 20 + textWidth(out, e.label));
  const double height =
      (ramp ? s.rampHeight : 0) + (s.small ? 0 : s.row * static_cast<double>(entries.size())) + 2 * s.pad - 3;
  return {s.gap, viewport.height() - height - s.gap, width + 2 * s.pad, height};
}

QRectF paintLegend(Surface& out, const CanvasTheme& theme, QSizeF viewport, LegendPlace place, const HeatScale& scale,
                   double mostHeat, const std::vector<LegendEntry>& entries, QPointF moved) {
  const QRectF area = legendArea(out, viewport, place, mostHeat, entries).translated(moved);
  if (area.isEmpty()) return {};
  const LegendSizes s(viewport, place);
  out.beginPart("legend");
  panel(out, theme, area);
  double y = area.y() + s.pad - 2;
  if (mostHeat > 0) {
    const QRectF bar(area.x() + s.pad, s.small ? y + 2 : y + 18, s.rampWidth, s.small ? 6 : 8);
    std::vector<QRgb> colors;
    for (int k = 0; k <= 16; k++) colors.push_back(heatColor(k / 16.0, theme.dark));
    if (!s.small) put(out, {bar.x(), y}, QString::fromStdString(scale.title), theme.text);
    out.ramp(bar, 2, colors);
    for (const LegendTick& tick : legendTicks(out, scale, mostHeat, s.rampWidth))
      put(out, {bar.x() + tick.x, bar.bottom() + 1}, tick.label, theme.mutedText);
    y += s.rampHeight + 4;
  }
  for (size_t i = 0; i < entries.size() && !s.small; i++, y += s.row) {
    const LegendEntry& e = entries[i];
    out.box({area.x() + s.pad, y + 2, 12, 10}, 2, {.fill = e.color, .line = mix(e.color, theme.border, 0.4)});
    put(out, {area.x() + s.pad + 20, y}, e.label, theme.text);
  }
  out.end();
  return area;
}

QPointF LegendSpot::moved(const ScenePaint& scene, const QRectF& area, const QRectF& minimap) {
  if (area.isEmpty() || scene.progress < 1) return moved_;
  const QRectF window(QPointF(0, 0), scene.viewport);
  const auto possible = [&](QPointF by) {
    return window.contains(area.translated(by)) && !area.translated(by).intersects(minimap);
  };
  if (!choose_ && possible(moved_)) return moved_;
  choose_ = false;
  std::vector<uint32_t> below;
  const auto hidden = [&](QPointF by) {
    const QRectF at = area.translated(by);
    below.clear();
    scene.frame->grid.query(scene.frame->layout.nodes, scene.view.toScene(at), below);
    double sum = 0;
    for (const uint32_t v : below) {
      const QRectF part = at.intersected(scene.view.toScreen(scene.frame->layout.nodes[v]));
      sum += part.width() * part.height();
    }
    return sum;
  };
  // Where it is, then the corners, then up the left side and the right one.
  const double right = window.width() - area.width() - 2 * area.x(), up = kBelowMessage - area.y();
  std::vector<QPointF> spots{moved_, {0, 0}, {0, up}, {right, up}, {right, 0}};
  for (const double x : {0.0, right})
    for (double y = -area.height() / 3; y > up; y -= area.height() / 3) spots.emplace_back(x, y);
  double least = std::numeric_limits<double>::infinity();
  for (const QPointF spot : spots) {
    if (!possible(spot)) continue;
    const double covered = hidden(spot);
    if (covered < least) least = covered, moved_ = spot;
    if (least == 0) break;
  }
  if (std::isinf(least)) moved_ = {};
  return moved_;
}

void paintHoverCard(Surface& out, const CanvasTheme& theme, QSizeF viewport, QPointF pointer, const SceneNode& node) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < std::min(node.lines.size(), box::kMaxLines); i++) lines.push_back(cutLine(node.lines[i]));
  if (!node.heatLabel.empty()) lines.push_back(cutLine(node.heatLabel));
  const std::string title = cutLine(node.title);
  double width = out.size(TextRole::Title, title).width() + 18;
  for (const std::string& line : lines) width = std::max(width, out.size(TextRole::Line, line).width());
  QRectF area(pointer + QPointF(16, 18), QSizeF(width + 20, 14 + box::kTitleHeight + box::kLineHeight * lines.size()));
  if (area.right() > viewport.width() - 8) area.moveRight(std::max(area.width() + 8, pointer.x() - 12));
  if (area.bottom() > viewport.height() - 8) area.moveBottom(std::max(area.height() + 8, pointer.y() - 12));
  panel(out, theme, area);
  out.box({area.x() + 10, area.y() + 10, 11, 11}, 3, {.fill = node.fill | 0xff000000, .line = theme.hudBorder});
  out.text(TextRole::Title, {area.x() + 27, area.y() + 7}, title, theme.text);
  double y = area.y() + 8 + box::kTitleHeight;
  for (const std::string& line : lines) {
    out.text(TextRole::Line, {area.x() + 10, y}, line, theme.text);
    y += box::kLineHeight;
  }
}

void Minimap::paint(QPainter& p, const ScenePaint& scene, QPointF pointer) {
  area_ = {};
  faint_ = false;
  if (!scene.frame || scene.frame->graph.nodes.empty()) return;
  const Rect& bounds = scene.frame->layout.bounds;
  const Rect view = scene.view.toScene(QRectF(QPointF(0, 0), scene.viewport));
  if (view.x <= bounds.x && view.y <= bounds.y && view.right() >= bounds.right() && view.bottom() >= bounds.bottom())
    return;
  if (scene.viewport.width() < 420 || scene.viewport.height() < 300) return;
  // As large as it may be in the shape of the graph, but never a sliver.
  constexpr double kPad = 6;
  const double most = std::min(190.0, scene.viewport.width() / 4),
               tall = std::min(230.0, scene.viewport.height() / 2.5);
  const double k = std::min({most / std::max(bounds.w, 1.0), tall / std::max(bounds.h, 1.0), 0.25});
  const QSizeF size(std::max(bounds.w * k, 44.0) + 2 * kPad, std::max(bounds.h * k, 32.0) + 2 * kPad);
  const auto place = [&](Corner corner) {
    constexpr double kGap = 12;
    return QRectF(
        QPointF(corner == Corner::TopLeft ? kGap : scene.viewport.width() - size.width() - kGap,
                corner == Corner::BottomRight ? scene.viewport.height() - size.height() - kGap : kBelowMessage),
        size);
  };
  std::vector<uint32_t> below;
  const auto covers = [&](const QRectF& area) {
    below.clear();
    scene.frame->grid.query(scene.frame->layout.nodes, scene.view.toScene(area), below);
    return !below.empty();
  };
  // Only where a graph comes to rest: a map that moves about while one pans would be no help.
  if (choose_ && scene.progress >= 1) {
    choose_ = false;
    if (covers(place(corner_)))
      for (const Corner corner : {Corner::BottomRight, Corner::TopRight, Corner::TopLeft})
        if (!covers(place(corner))) {
          corner_ = corner;
          break;
        }
  }
  area_ = place(corner_);
  map_.scale = k;
  map_ = map_.centered(bounds.center(), size);

  const double ratio = p.device()->devicePixelRatioF();
  const QSize pixels(qRound(size.width() * ratio), qRound(size.height() * ratio));
  if (picture_.size() != pixels || background_ != scene.theme.background || heat_ != scene.heat) {
    picture_ = QPixmap(pixels);
    picture_.setDevicePixelRatio(ratio);
    picture_.fill(Qt::transparent);
    QPainter inner(&picture_);
    ScenePaint small;
    small.frame = scene.frame, small.view = map_, small.viewport = size, small.theme = scene.theme,
    small.heat = scene.heat;
    small.detail = k >= 0.045 ? Detail::Box : Detail::Density;
    TextCache unused;
    PainterSurface surface(inner, unused);
    renderScene(surface, small);
    background_ = scene.theme.background, heat_ = scene.heat;
  }
  faint_ = covers(area_) && !area_.contains(pointer);
  p.setOpacity(faint_ ? 0.35 : 1);
  TextCache unused;
  PainterSurface surface(p, unused);
  panel(surface, scene.theme, area_);
  p.drawPixmap(area_.topLeft(), picture_);
  QRectF window = map_.toScreen(view).translated(area_.topLeft());
  window = window.intersected(area_.adjusted(1, 1, -1, -1));
  p.setOpacity(1);
  // A view far outside the graph still shows on its side.
  if (window.isEmpty()) return;
  const double grow = std::max(0.0, (5 - std::min(window.width(), window.height())) / 2);
  window.adjust(-grow, -grow, grow, grow);
  p.setRenderHint(QPainter::Antialiasing, false);
  p.setPen(QPen(QColor::fromRgba(scene.theme.selection), 1.5));
  p.setBrush(QColor::fromRgba((scene.theme.selection & 0xffffff) | 0x22000000));
  p.drawRect(window);
}

}  // namespace rangescope::viewer
