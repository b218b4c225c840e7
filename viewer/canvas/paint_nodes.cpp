#include <QImage>
#include <algorithm>
#include <cmath>

#include "viewer/canvas/op_style.h"
#include "viewer/canvas/painting.h"

namespace rangescope::viewer {

ScenePainting::Look ScenePainting::look(const SceneNode& node, double ghostness) const {
  QRgb fill = node.fill | 0xff000000;
  if (s_.heat && s_.frame->mostHeat > 0) {
    // Untimed nodes step back, so that the ramp is all the colour there is.
    fill = node.heat >= 0 ? heatColor(node.heat / s_.frame->mostHeat, s_.theme.dark)
                          : faint(s_.theme.dark ? 0xff4a4d55 : 0xffd8dade, 0.35);
  } else if (s_.theme.dark) {
    fill = mix(fill, 0xff000000, 0.06);
  }
  QRgb border = mix(fill, s_.theme.border, s_.theme.dark ? 0.5 : 0.45);
  QRgb text = textOn(fill);
  if (ghostness > 0) {
    fill = mix(fill, s_.theme.background, ghostness * 0.96);
    border = mix(border, s_.theme.ghost, ghostness);
    text = mix(text, s_.theme.mutedText, ghostness);
  }
  return {fill, border, text};
}

void ScenePainting::paintNodes() {
  if (detail_ == Detail::Density) {
    paintDensity(nodes_);
    return;
  }
  const auto paint = [&](const SceneNode& node, const Rect& rect, double opacity, double ghostness) {
    switch (detail_) {
      case Detail::Full:
        paintFull(node, rect, opacity, ghostness);
        break;
      case Detail::Name:
        paintName(node, rect, opacity, ghostness);
        break;
      default:
        paintBox(node, rect, opacity, ghostness);
        break;
    }
  };
  if (detail_ == Detail::Full)
    out_.place(s_.view);
  else
    pixels_->painter().setRenderHint(QPainter::Antialiasing, detail_ != Detail::Box);
  if (s_.motion) {
    const SceneFrame& from = s_.motion->from();
    for (uint32_t v : s_.motion->leaving()) {
      if (!from.layout.nodes[v].intersects(visible_)) continue;
      const SceneNode& node = from.graph.nodes[v];
      paint(node, from.layout.nodes[v], 1 - s_.progress, node.state == NodeState::Ghost ? 1 : s_.progress);
    }
  }
  for (uint32_t v : nodes_) {
    const SceneNode& node = graph_.nodes[v];
    double opacity = dimmed(v) ? 0.16 : 1, ghostness = node.state == NodeState::Ghost ? 1 : 0;
    if (s_.motion && s_.motion->isNew(v)) opacity *= s_.progress;
    if (s_.motion && ghostness > 0 && !s_.motion->isNew(v) && s_.motion->stateBefore(v) != NodeState::Ghost)
      ghostness = s_.progress;
    paint(node, rectOf(v), opacity, ghostness);
  }
}

void ScenePainting::paintFull(const SceneNode& node, const Rect& rect, double opacity, double ghostness) {
  const Look look = this->look(node, ghostness);
  const auto seen = [&](QRgb color) {
    return (color & 0xffffff) | static_cast<QRgb>(std::lround(qAlpha(color) * opacity)) << 24;
  };
  const bool ghost = ghostness > 0.5;
  out_.beginNode(node);
  out_.box(toQt(rect), box::kRadius,
           {.fill = seen(look.fill), .line = seen(look.border), .width = ghost ? 1.2 : 1, .dashed = ghost});

  double y = rect.y + box::kPadY;
  const std::string title = cutLine(node.title);
  const double titleHeight = out_.size(TextRole::Title, title).height();
  out_.text(TextRole::Title, QPointF(rect.x + box::kPadX, y + (box::kTitleHeight - titleHeight) / 2 - 1), title,
            seen(look.text));

  double right = rect.right() - box::kPadX;
  for (size_t i = node.badges.size(); i-- > 0;) {
    const SceneBadge& badge = node.badges[i];
    const QSizeF label = out_.size(TextRole::Badge, badge.text);
    const double width = label.width() + 2 * box::kBadgePad, height = 13;
    const QRectF pill(right - width, y + (box::kTitleHeight - height) / 2 - 1, width, height);
    const QRgb fill = mix(badge.color | 0xff000000, s_.theme.background, ghostness * 0.8);
    out_.box(pill, height / 2, {.fill = seen(fill), .line = seen(mix(fill, 0xff000000, 0.3)), .width = 0.8});
    out_.text(TextRole::Badge, QPointF(pill.x() + box::kBadgePad, pill.center().y() - label.height() / 2), badge.text,
              seen(textOn(fill)));
    right -= width + box::kBadgeGap;
  }

  // A node that becomes a ghost loses its lines while its box closes over them.
  y += box::kTitleHeight;
  const auto line = [&](const std::string& content) {
    if (!content.empty() && y + box::kLineHeight <= rect.bottom() + 1) {
      const std::string shown = cutLine(content);
      const double height = out_.size(TextRole::Line, shown).height();
      out_.text(TextRole::Line, QPointF(rect.x + box::kPadX, y + (box::kLineHeight - height) / 2), shown,
                seen(look.text));
    }
    y += box::kLineHeight;
  };
  if (ghostness < 1) {
    for (size_t i = 0; i < std::min(node.lines.size(), box::kMaxLines); i++) line(node.lines[i]);
    if (!node.heatLabel.empty()) line(node.heatLabel);
  }
  out_.end();
}

void ScenePainting::paintName(const SceneNode& node, const Rect& rect, double opacity, double ghostness) {
  QPainter& p = pixels_->painter();
  TextCache& texts = pixels_->texts();
  const Look look = this->look(node, ghostness);
  const QRectF area = s_.view.toScreen(rect);
  p.setOpacity(opacity);
  p.setBrush(QColor::fromRgba(look.fill));
  p.setPen(QPen(QColor::fromRgba(look.border), 0.8, ghostness > 0.5 ? Qt::DashLine : Qt::SolidLine));
  const double radius = box::kRadius * s_.view.scale;
  p.drawRoundedRect(area, radius, radius);
  // Larger in its box than at reading size, but of one size for all that have room.
  const double full = texts.get(TextRole::Title, node.title).size().width();
  const double most = std::min({box::kTitlePixels * s_.view.scale * 1.45, area.height() * 0.7,
                                box::kTitlePixels * (area.width() - 4) / std::max(full, 1.0)});
  const int pixels = std::max(6, static_cast<int>(most));
  // At the least size a long name keeps its head.
  const double letters =
      static_cast<double>(columns(node.title)) * (area.width() - 3) / (full * pixels / box::kTitlePixels);
  if (area.height() >= 7 && letters >= 2) {
    const std::string_view shown = std::string_view(node.title).substr(0, static_cast<size_t>(letters));
    const QStaticText& title = texts.title(shown, pixels);
    p.setFont(texts.font(TextRole::Title, pixels));
    p.setPen(QColor::fromRgba(look.text));
    p.drawStaticText(area.center() - QPointF(title.size().width() / 2, title.size().height() / 2), title);
  }
  p.setOpacity(1);
}

void ScenePainting::paintBox(const SceneNode& node, const Rect& rect, double opacity, double ghostness) {
  QPainter& p = pixels_->painter();
  const Look look = this->look(node, ghostness);
  const QRectF box = s_.view.toScreen(rect);
  const QRgb fill = opacity < 1 ? faint(look.fill, 1 - opacity) : look.fill;
  if (ghostness > 0.5) {
    p.fillRect(box, QColor::fromRgba(faint(s_.theme.ghost, 0.6)));
    return;
  }
  // On a light ground pale boxes need their border even where it is all that is left of them.
  if (box.height() >= 5) {
    p.fillRect(box, QColor::fromRgba(mix(fill, look.border, 0.6)));
    p.fillRect(box.adjusted(1, 1, -1, -1), QColor::fromRgba(fill));
  } else {
    p.fillRect(box, QColor::fromRgba(mix(fill, look.border, 0.35)));
  }
}

// Cells of a few pixels, each tinted by the nodes in it and as full as they are many.
void ScenePainting::paintDensity(const std::vector<uint32_t>& nodes) {
  constexpr int kCell = 2;
  const int columns = static_cast<int>(s_.viewport.width()) / kCell + 2;
  const int rows = static_cast<int>(s_.viewport.height()) / kCell + 2;
  using Cell = PaintScratch::Cell;
  std::vector<Cell>& cells = scratch_.cells;
  cells.assign(static_cast<size_t>(columns) * rows, Cell{});
  for (uint32_t v : nodes) {
    const QRectF box = s_.view.toScreen(rectOf(v));
    const Look look = this->look(graph_.nodes[v], graph_.nodes[v].state == NodeState::Ghost ? 1 : 0);
    const QRgb color = mix(look.fill, look.border, 0.35);
    const int left = std::max(0, static_cast<int>(box.left()) / kCell);
    const int right = std::min(columns - 1, static_cast<int>(box.right()) / kCell);
    const int top = std::max(0, static_cast<int>(box.top()) / kCell);
    const int bottom = std::min(rows - 1, static_cast<int>(box.bottom()) / kCell);
    // A node thinner than a cell still fills a good part of it, or a lone one would not be seen.
    const double height = std::max(box.height(), 1.6);
    const float share = static_cast<float>(
        (dimmed(v) ? 0.16 : 1) * std::min(1.0, height * std::min(box.width() + 1, 3.0 * kCell) / (kCell * kCell)) /
        (bottom - top + 1));
    for (int y = top; y <= bottom; y++)
      for (int x = left; x <= right; x++) {
        Cell& c = cells[static_cast<size_t>(y) * columns + x];
        c.area += share, c.r += share * qRed(color), c.g += share * qGreen(color), c.b += share * qBlue(color);
      }
  }
  QImage& image = scratch_.density;
  if (image.size() != QSize(columns, rows)) image = QImage(columns, rows, QImage::Format_ARGB32_Premultiplied);
  for (int y = 0; y < rows; y++) {
    QRgb* line = reinterpret_cast<QRgb*>(image.scanLine(y));
    for (int x = 0; x < columns; x++) {
      const Cell& c = cells[static_cast<size_t>(y) * columns + x];
      const float alpha = c.area <= 0 ? 0 : std::min(1.0f, 0.35f + 0.65f * c.area);
      const float k = c.area <= 0 ? 0 : alpha / c.area;
      line[x] = qRgba(static_cast<int>(c.r * k), static_cast<int>(c.g * k), static_cast<int>(c.b * k),
                      static_cast<int>(255 * alpha));
    }
  }
  QPainter& p = pixels_->painter();
  p.setRenderHint(QPainter::SmoothPixmapTransform, false);
  p.drawImage(QRectF(0, 0, columns * kCell, rows * kCell), image);
}

void ScenePainting::ring(uint32_t node, QRgb color, double width, double gap) {
  QRectF box = s_.view.toScreen(rectOf(node)).adjusted(-gap, -gap, gap, gap);
  // Too small to see is drawn large enough to find.
  const double grow = std::max(0.0, (7 - std::min(box.width(), box.height())) / 2);
  box.adjust(-grow, -grow, grow, grow);
  const double radius = box::kRadius * std::min(1.5, s_.view.scale) + gap;
  out_.box(box, radius, {.line = color, .width = width});
}

void ScenePainting::paintRings() {
  const double bold = std::clamp(s_.view.scale * 2.5, 1.6, 3.5);
  for (uint32_t v : nodes_) {
    const NodeState state = graph_.nodes[v].state;
    if (state != NodeState::Match && state != NodeState::New) continue;
    QRgb color = state == NodeState::Match ? s_.theme.match : s_.theme.added;
    if (s_.motion && s_.motion->isNew(v)) color = mix(color & 0xffffff, color, s_.progress);
    if (state == NodeState::New) {
      // What the rule put in glows.
      ring(v, (color & 0xffffff) | static_cast<QRgb>(qAlpha(color) * 0.25) << 24, bold * 2.6, bold);
    }
    ring(v, color, bold, 0);
  }
  const auto neighbours = [&](uint32_t v) {
    const Adjacency& a = s_.frame->adjacency;
    for (uint32_t i = a.sourceStart[v]; i < a.sourceStart[v + 1]; i++)
      ring(graph_.edges[a.sourceEdges[i]].from, s_.theme.sourceLit, 1.8, 1.5);
    for (uint32_t i = a.userStart[v]; i < a.userStart[v + 1]; i++)
      ring(graph_.edges[a.userEdges[i]].to, s_.theme.userLit, 1.8, 1.5);
  };
  if (s_.hovered) {
    neighbours(*s_.hovered);
    ring(*s_.hovered, s_.theme.text, 1.5, 1.5);
  }
  if (s_.selected) ring(*s_.selected, s_.theme.selection, 2.6, 3.5);
}

void ScenePainting::paintMarks() {
  for (const NodeMark& mark : *s_.marks) {
    const auto v = s_.frame->keys.find(mark.key);
    if (!v || !rectOf(*v).intersects(visible_)) continue;
    ring(*v, mark.color, 2.6, 2);
    if (mark.label.empty() || detail_ == Detail::Density || detail_ == Detail::Box) continue;
    const QSizeF label = out_.size(TextRole::Badge, mark.label);
    const QRectF box = s_.view.toScreen(rectOf(*v));
    const QRectF tag(box.left() + 4, box.top() - 9, label.width() + 10, 14);
    const QRgb fill = mark.color | 0xff000000;
    out_.box(tag, 4, {.fill = fill});
    out_.text(TextRole::Badge, QPointF(tag.x() + 5, tag.center().y() - label.height() / 2), mark.label, textOn(fill));
  }
}

}  // namespace rangescope::viewer
