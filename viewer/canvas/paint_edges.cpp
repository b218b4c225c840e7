#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "viewer/canvas/op_style.h"
#include "viewer/canvas/painting.h"

namespace rangescope::viewer {

namespace {

// More curves than this in view and they are drawn as plain lines; more lines than this and they thin out.
constexpr size_t kMostSmooth = 700;
constexpr size_t kMostLines = 7000;
// A curve longer than this on screen is drawn as the lines through it that are in sight.
constexpr double kMostCurvePixels = 6000;

// Edges that go or come fade with this step's share of the motion.
bool vertical(const Layout& layout) {
  return layout.direction != Direction::SourcesLeft;
}

// Scrambles an edge index, so that thinning takes edges evenly and always the same ones.
uint32_t scatter(uint32_t e) {
  return (e * 2654435761u) >> 8;
}

// The part of a line near the window. Rasterisers lose time and precision on lines of a million pixels.
void addClipped(const QLineF& line, QSizeF window, QList<QLineF>& out) {
  constexpr double kSlack = 64;
  double from = 0, to = 1;
  const auto clip = [&](double start, double delta, double low, double high) {
    if (delta == 0) return start >= low && start <= high;
    const double a = (low - start) / delta, b = (high - start) / delta;
    from = std::max(from, std::min(a, b)), to = std::min(to, std::max(a, b));
    return from <= to;
  };
  if (!clip(line.x1(), line.dx(), -kSlack, window.width() + kSlack)) return;
  if (!clip(line.y1(), line.dy(), -kSlack, window.height() + kSlack)) return;
  out.push_back(QLineF(line.pointAt(from), line.pointAt(to)));
}

}  // namespace

// A path follows its nodes while they move: each end by its own node's offset, what lies between in proportion.
QPainterPath ScenePainting::edgePath(const Layout& layout, const EdgePath& path, Point fromOffset,
                                     Point toOffset) const {
  const bool down = vertical(layout);
  const Point* p = layout.points.data() + path.first;
  const auto at = [&](uint32_t k) {
    const double part = static_cast<double>(k) / (path.count - 1);
    return QPointF(p[k].x + fromOffset.x * (1 - part) + toOffset.x * part,
                   p[k].y + fromOffset.y * (1 - part) + toOffset.y * part);
  };
  QPainterPath out(at(0));
  for (uint32_t k = 1; k < path.count; k++) {
    const QPointF a = out.currentPosition(), b = at(k);
    const double turn = down ? b.x() - a.x() : b.y() - a.y();
    if (std::abs(turn) < 0.5 || path.express) {
      out.lineTo(b);
    } else if (down) {
      const double middle = (a.y() + b.y()) / 2;
      out.cubicTo(a.x(), middle, b.x(), middle, b.x(), b.y());
    } else {
      const double middle = (a.x() + b.x()) / 2;
      out.cubicTo(middle, a.y(), middle, b.y(), b.x(), b.y());
    }
  }
  return out;
}

void ScenePainting::addLines(const Layout& layout, const EdgePath& path, Point fromOffset, Point toOffset,
                             QList<QLineF>& out) const {
  const Point* p = layout.points.data() + path.first;
  const double scale = s_.view.scale;
  QPointF last;
  for (uint32_t k = 0; k < path.count; k++) {
    const double part = static_cast<double>(k) / (path.count - 1);
    const QPointF at = s_.view.toScreen(Point{p[k].x + fromOffset.x * (1 - part) + toOffset.x * part,
                                              p[k].y + fromOffset.y * (1 - part) + toOffset.y * part});
    if (k == 0) {
      last = at;
      continue;
    }
    // Steps shorter than a pixel tell nothing.
    if (k + 1 < path.count && std::abs(at.x() - last.x()) + std::abs(at.y() - last.y()) < 1.5 && scale < 0.5) continue;
    addClipped(QLineF(last, at), s_.viewport, out);
    last = at;
  }
}

ScenePainting::Lit ScenePainting::litEdge(uint32_t edge) const {
  const SceneEdge& e = graph_.edges[edge];
  for (const auto& node : {s_.hovered, s_.selected}) {
    if (!node) continue;
    if (e.to == *node) return Lit::Source;
    if (e.from == *node) return Lit::User;
  }
  return Lit::No;
}

bool ScenePainting::dimmedEdge(uint32_t edge) const {
  return s_.focus && (dimmed(graph_.edges[edge].from) || dimmed(graph_.edges[edge].to));
}

void ScenePainting::paintEdges() {
  const SceneFrame& frame = *s_.frame;
  std::vector<uint32_t>&plain = scratch_.plainEdges, &lit = scratch_.litEdges;
  plain.clear();
  lit.clear();
  for (uint32_t e = 0; e < graph_.edges.size(); e++) {
    Rect bounds = frame.edgeBounds[e];
    if (s_.motion) {
      const Point a = offsetOf(graph_.edges[e].from), b = offsetOf(graph_.edges[e].to);
      const Rect start{bounds.x + a.x, bounds.y + a.y, bounds.w, bounds.h};
      bounds = bounds.united(start).united({bounds.x + b.x, bounds.y + b.y, bounds.w, bounds.h});
    }
    if (!bounds.intersects(visible_)) continue;
    const bool marked = litEdge(e) != Lit::No || graph_.edges[e].state == EdgeState::Resourced;
    (marked ? lit : plain).push_back(e);
  }
  counts_.edges = plain.size() + lit.size();
  const bool smooth = whole_ || ((detail_ == Detail::Full || detail_ == Detail::Name) && plain.size() <= kMostSmooth);
  if (smooth) {
    for (uint32_t e : plain) paintSmoothEdge(e, Lit::No);
  } else {
    paintThinEdges(plain);
  }
  if (whole_ || lit.size() <= kMostSmooth) {
    for (uint32_t e : lit) paintSmoothEdge(e, litEdge(e));
  } else {
    paintManyLit(lit);
  }
}

// The thousands of sources of one node, or the edges of a graph of which most have changed: as lines, all of them.
void ScenePainting::paintManyLit(const std::vector<uint32_t>& edges) {
  std::array<QList<QLineF>, 4>& lines = scratch_.lines;
  for (QList<QLineF>& of : lines) of.clear();
  for (uint32_t e : edges)
    addLines(s_.frame->layout, s_.frame->layout.edges[e], offsetOf(graph_.edges[e].from), offsetOf(graph_.edges[e].to),
             lines[static_cast<size_t>(litEdge(e))]);
  out_.place({});
  QPainter& p = pixels_->painter();
  p.setRenderHint(QPainter::Antialiasing, false);
  for (const auto& [lit, color] : {std::pair(Lit::No, s_.theme.resourced), std::pair(Lit::User, s_.theme.userLit),
                                   std::pair(Lit::Source, s_.theme.sourceLit)}) {
    QPen pen(QColor::fromRgba(color), 1);
    pen.setCosmetic(true);
    p.setPen(pen);
    p.drawLines(lines[static_cast<size_t>(lit)]);
  }
}

void ScenePainting::paintSmoothEdge(uint32_t e, Lit lit) {
  const SceneEdge& edge = graph_.edges[e];
  const EdgePath& path = s_.frame->layout.edges[e];
  QRgb color = lit == Lit::Source ? s_.theme.sourceLit : lit == Lit::User ? s_.theme.userLit : s_.theme.edge;
  double width = lit == Lit::No ? 1.3 : 2.2;
  bool dashed = false;
  if (edge.state == EdgeState::Resourced) {
    if (lit == Lit::No) color = s_.theme.resourced;
    width = 3;
  } else if (edge.state == EdgeState::Ghost) {
    if (lit == Lit::No) color = s_.theme.ghost;
    dashed = true;
  } else if (path.express && lit == Lit::No) {
    color = s_.theme.edgeFar;
  }
  if (dimmedEdge(e)) color = faint(color, 0.8);
  if (s_.motion && s_.motion->isNewEdge(e)) color = faint(color, 1 - s_.progress);
  // Below reading size widths are pixels; at it they grow with the boxes.
  const double scale = s_.view.scale;
  const double pixels = width * std::clamp(scale, 0.7, 1.6);
  out_.beginEdge(edge, graph_.nodes[edge.from], graph_.nodes[edge.to]);
  out_.place(s_.view);
  const QPainterPath curve = edgePath(s_.frame->layout, path, offsetOf(edge.from), offsetOf(edge.to));
  const Rect& bounds = s_.frame->edgeBounds[e];
  if (!whole_ && std::max(bounds.w, bounds.h) * scale > kMostCurvePixels) {
    QList<QLineF> lines;
    addLines(s_.frame->layout, path, offsetOf(edge.from), offsetOf(edge.to), lines);
    out_.place({});
    QPainter& p = pixels_->painter();
    p.setRenderHint(QPainter::Antialiasing, true);
    p.setPen(QPen(QColor::fromRgba(color), pixels, dashed ? Qt::DashLine : Qt::SolidLine));
    p.drawLines(lines);
    out_.place(s_.view);
  } else {
    out_.path(curve, {.line = color, .width = pixels / scale, .dashed = dashed});
  }
  const QPointF end = curve.currentPosition();
  if (detail_ == Detail::Full) {
    // A small head where the edge enters its user.
    const double size = 4.5;
    std::array<QPointF, 3> head;
    switch (s_.frame->layout.direction) {
      case Direction::SourcesAbove:
        head[0] = end, head[1] = end + QPointF(-size * 0.6, -size), head[2] = end + QPointF(size * 0.6, -size);
        break;
      case Direction::SourcesBelow:
        head[0] = end, head[1] = end + QPointF(-size * 0.6, size), head[2] = end + QPointF(size * 0.6, size);
        break;
      case Direction::SourcesLeft:
        head[0] = end, head[1] = end + QPointF(-size, -size * 0.6), head[2] = end + QPointF(-size, size * 0.6);
        break;
    }
    out_.triangle(head, color);
    // A ghost's port is the port of the edge that took its place.
    if (edge.portCount > 1 && edge.state != EdgeState::Ghost)
      paintPort(edge, end, lit == Lit::No ? s_.theme.mutedText : color);
  }
  out_.end();
}

void ScenePainting::paintPort(const SceneEdge& edge, QPointF end, QRgb color) {
  const std::string number = std::to_string(edge.port);
  const QSizeF size = out_.size(TextRole::Badge, number);
  QPointF at;
  switch (s_.frame->layout.direction) {
    case Direction::SourcesAbove:
      at = end + QPointF(4, -size.height() - 1);
      break;
    case Direction::SourcesBelow:
      at = end + QPointF(4, 1);
      break;
    case Direction::SourcesLeft:
      at = end + QPointF(-size.width() - 6, -size.height() - 1);
      break;
  }
  out_.text(TextRole::Badge, at, number, dimmed(edge.to) ? faint(color, 0.8) : color);
}

// Many edges at once: hair lines without smoothing, batched by colour.
void ScenePainting::paintThinEdges(const std::vector<uint32_t>& edges) {
  const Layout& layout = s_.frame->layout;
  enum Kind { Plain, Far, Faint, Ghost, Kinds };
  std::array<QList<QLineF>, Kinds>& lines = scratch_.lines;
  for (QList<QLineF>& of : lines) of.clear();
  const size_t keep = edges.size() > kMostLines ? (edges.size() + kMostLines - 1) / kMostLines : 1;
  for (uint32_t e : edges) {
    if (keep > 1 && scatter(e) % keep != 0) continue;
    const SceneEdge& edge = graph_.edges[e];
    const EdgePath& path = layout.edges[e];
    const Kind kind = dimmedEdge(e) ? Faint : edge.state == EdgeState::Ghost ? Ghost : path.express ? Far : Plain;
    addLines(layout, path, offsetOf(edge.from), offsetOf(edge.to), lines[kind]);
  }
  const double thin = detail_ == Detail::Density ? 0.55 : detail_ == Detail::Box ? 0.25 : 0;
  const QRgb colors[Kinds] = {faint(s_.theme.edge, thin), s_.theme.edgeFar, faint(s_.theme.edge, 0.85),
                              faint(s_.theme.ghost, 0.3)};
  out_.place({});
  QPainter& p = pixels_->painter();
  p.setRenderHint(QPainter::Antialiasing, false);
  for (int kind : {Faint, Far, Plain, Ghost}) {
    if (lines[kind].isEmpty()) continue;
    QPen pen(QColor::fromRgba(colors[kind]), 1);
    pen.setCosmetic(true);
    if (kind == Ghost) pen.setStyle(Qt::DashLine);
    p.setPen(pen);
    p.drawLines(lines[kind]);
  }
}

void ScenePainting::paintLeavingEdges() {
  const SceneFrame& from = s_.motion->from();
  const std::vector<uint32_t>& leaving = s_.motion->leavingEdges();
  if (leaving.size() > kMostSmooth || detail_ == Detail::Density) return;
  out_.place(s_.view);
  const Ink ink{.line = faint(s_.theme.edge, s_.progress), .width = 1.3 / std::max(s_.view.scale, 0.7)};
  for (uint32_t e : leaving)
    if (from.edgeBounds[e].intersects(visible_)) out_.path(edgePath(from.layout, from.layout.edges[e], {}, {}), ink);
}

}  // namespace rangescope::viewer
