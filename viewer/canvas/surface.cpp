#include "viewer/canvas/surface.h"

#include <QLinearGradient>

namespace rangescope::viewer {

void PainterSurface::place(const ViewTransform& view) {
  p_.setTransform(QTransform(view.scale, 0, 0, view.scale, view.dx, view.dy) * base_);
}

void PainterSurface::box(const QRectF& area, double radius, const Ink& ink) {
  p_.setRenderHint(QPainter::Antialiasing, true);
  p_.setBrush(qAlpha(ink.fill) > 0 ? QBrush(QColor::fromRgba(ink.fill)) : QBrush(Qt::NoBrush));
  p_.setPen(qAlpha(ink.line) > 0
                ? QPen(QColor::fromRgba(ink.line), ink.width, ink.dashed ? Qt::DashLine : Qt::SolidLine)
                : QPen(Qt::NoPen));
  if (radius > 0)
    p_.drawRoundedRect(area, radius, radius);
  else
    p_.drawRect(area);
}

void PainterSurface::path(const QPainterPath& path, const Ink& ink) {
  p_.setRenderHint(QPainter::Antialiasing, true);
  p_.setBrush(qAlpha(ink.fill) > 0 ? QBrush(QColor::fromRgba(ink.fill)) : QBrush(Qt::NoBrush));
  p_.setPen(QPen(QColor::fromRgba(ink.line), ink.width, ink.dashed ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap,
                 Qt::RoundJoin));
  p_.drawPath(path);
}

void PainterSurface::triangle(const std::array<QPointF, 3>& corners, QRgb fill) {
  p_.setRenderHint(QPainter::Antialiasing, true);
  p_.setPen(Qt::NoPen);
  p_.setBrush(QColor::fromRgba(fill));
  p_.drawConvexPolygon(corners.data(), 3);
}

void PainterSurface::ramp(const QRectF& area, double radius, const std::vector<QRgb>& colors) {
  QLinearGradient gradient(area.topLeft(), area.topRight());
  for (size_t k = 0; k < colors.size(); k++)
    gradient.setColorAt(static_cast<double>(k) / static_cast<double>(colors.size() - 1), QColor::fromRgba(colors[k]));
  p_.setRenderHint(QPainter::Antialiasing, true);
  p_.setPen(Qt::NoPen);
  p_.setBrush(gradient);
  p_.drawRoundedRect(area, radius, radius);
}

void PainterSurface::text(TextRole role, QPointF topLeft, std::string_view text, QRgb color) {
  p_.setFont(text_.font(role));
  p_.setPen(QColor::fromRgba(color));
  p_.drawStaticText(topLeft, text_.get(role, text));
}

}  // namespace rangescope::viewer
