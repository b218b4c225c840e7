#include "viewer/panels/roofline_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "viewer/canvas/op_style.h"
#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

namespace {

QString power(int decade) {
  if (decade >= 0 && decade <= 4) return QString::number(std::pow(10, decade), 'f', 0);
  if (decade < 0 && decade >= -3) return QString::number(std::pow(10, decade), 'f', -decade);
  return QStringLiteral("1e%1").arg(decade);
}

}  // namespace

RooflineView::RooflineView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("roofline"));
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(200, 130);
  setAccessibleName(tr("Roofline"));
}

void RooflineView::setKernels(const std::vector<KernelRow>& kernels) {
  points_.clear();
  hovered_ = -1;
  bestGflops_ = bestGbs_ = 0;
  double least[2] = {1e300, 1e300}, most[2] = {0, 0};
  for (const KernelRow& k : kernels) {
    if (!(k.gflops > 0) || !(k.gbs > 0)) continue;
    const Point p{k.item, qtText(k.name), k.gflops / k.gbs, k.gflops, k.gbs, std::max(k.share, 0.0)};
    bestGflops_ = std::max(bestGflops_, p.gflops), bestGbs_ = std::max(bestGbs_, p.gbs);
    const double at[2] = {p.intensity, p.gflops};
    for (int i = 0; i < 2; ++i) least[i] = std::min(least[i], at[i]), most[i] = std::max(most[i], at[i]);
    points_.push_back(p);
  }
  if (!points_.empty()) {
    const double knee = bestGflops_ / bestGbs_;
    left_ = std::floor(std::log10(std::min(least[0], knee)) - 0.15),
    right_ = std::ceil(std::log10(std::max(most[0], knee)) + 0.15);
    bottom_ = std::floor(std::log10(least[1]) - 0.1), top_ = std::ceil(std::log10(most[1]) + 0.1);
  }
  update();
}

void RooflineView::setTheme(const CanvasTheme& theme) {
  theme_ = theme;
  update();
}

void RooflineView::select(qlonglong item) {
  selected_ = item;
  update();
}

QRectF RooflineView::plot() const {
  return QRectF(rect()).adjusted(58, 14, -16, -40);
}

QPointF RooflineView::place(double intensity, double gflops) const {
  const QRectF r = plot();
  return {r.left() + (std::log10(intensity) - left_) / (right_ - left_) * r.width(),
          r.bottom() - (std::log10(gflops) - bottom_) / (top_ - bottom_) * r.height()};
}

double RooflineView::radius(const Point& p) const {
  return 4 + 10 * std::sqrt(p.share);
}

QPointF RooflineView::pointOf(qlonglong item) const {
  for (const Point& p : points_)
    if (p.item == item) return place(p.intensity, p.gflops);
  return {};
}

int RooflineView::nearest(QPointF at) const {
  int best = -1;
  double distance = 1e300;
  for (int i = 0; i < points(); ++i) {
    const Point& p = points_[static_cast<size_t>(i)];
    const QPointF d = place(p.intensity, p.gflops) - at;
    const double away = std::hypot(d.x(), d.y());
    if (away <= radius(p) + 4 && away < distance) distance = away, best = i;
  }
  return best;
}

void RooflineView::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  p.fillRect(rect(), QColor::fromRgba(theme_.background));
  p.setPen(QColor::fromRgba(theme_.mutedText));
  if (points_.empty()) {
    p.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap,
               tr("This trace has no kernel with operations, bytes and a time. Record it with --run."));
    return;
  }
  const QRectF r = plot();
  const QColor grid = QColor::fromRgba(mix(theme_.background, theme_.text, 0.12)),
               ink = QColor::fromRgba(theme_.mutedText);
  for (int d = static_cast<int>(left_); d <= static_cast<int>(right_); ++d) {
    const double x = place(std::pow(10, d), 1).x();
    p.setPen(grid);
    p.drawLine(QPointF(x, r.top()), QPointF(x, r.bottom()));
    p.setPen(ink);
    p.drawText(QRectF(x - 40, r.bottom() + 3, 80, 16), Qt::AlignCenter, power(d));
  }
  for (int d = static_cast<int>(bottom_); d <= static_cast<int>(top_); ++d) {
    const double y = place(1, std::pow(10, d)).y();
    p.setPen(grid);
    p.drawLine(QPointF(r.left(), y), QPointF(r.right(), y));
    p.setPen(ink);
    p.drawText(QRectF(0, y - 8, r.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter, power(d));
  }
  p.drawText(QRectF(r.left(), r.bottom() + 19, r.width(), 18), Qt::AlignCenter, tr("operations a byte"));
  p.save();
  p.translate(12, r.center().y());
  p.rotate(-90);
  p.drawText(QRectF(-80, -9, 160, 18), Qt::AlignCenter, tr("GFLOP/s"));
  p.restore();
  // what was reached at best, as a roof
  p.save();
  p.setClipRect(r);
  p.setPen(QPen(ink, 1.5, Qt::DashLine));
  const double knee = bestGflops_ / bestGbs_, first = std::pow(10, left_);
  p.drawLine(place(first, bestGbs_ * first), place(knee, bestGflops_));
  p.drawLine(place(knee, bestGflops_), place(std::pow(10, right_), bestGflops_));
  p.restore();
  p.drawText(QRectF(r.left(), place(1, bestGflops_).y() - 17, r.width() - 4, 16), Qt::AlignRight | Qt::AlignVCenter,
             tr("best here: %1 GFLOP/s, %2 GB/s").arg(bestGflops_, 0, 'g', 3).arg(bestGbs_, 0, 'g', 3));
  for (int i = 0; i < points(); ++i) {
    const Point& k = points_[static_cast<size_t>(i)];
    const bool here = k.item == selected_;
    p.setPen(QPen(QColor::fromRgba(here ? theme_.selection : theme_.border), here ? 2.5 : 1));
    p.setBrush(QColor::fromRgba(heatColor(std::min(1.0, 0.15 + k.share), theme_.dark)));
    p.drawEllipse(place(k.intensity, k.gflops), radius(k), radius(k));
  }
  const auto label = [&](const Point& k) {
    const QString text = tr("%1 (#%2): %3 GFLOP/s, %4 GB/s, %5 op/byte, %6 % of the time")
                             .arg(k.name)
                             .arg(k.item)
                             .arg(k.gflops, 0, 'f', 2)
                             .arg(k.gbs, 0, 'f', 2)
                             .arg(k.intensity, 0, 'g', 3)
                             .arg(100 * k.share, 0, 'f', 1);
    const double w = std::min<double>(p.fontMetrics().horizontalAdvance(text) + 16, width() - 8.0);
    const QPointF at = place(k.intensity, k.gflops);
    QRectF box(std::clamp(at.x() - w / 2, 4.0, std::max(4.0, width() - w - 4)), at.y() + radius(k) + 6, w, 22);
    if (box.bottom() > height() - 4) box.moveBottom(at.y() - radius(k) - 6);
    p.setPen(QColor::fromRgba(theme_.hudBorder));
    p.setBrush(QColor::fromRgba(theme_.hud));
    p.drawRoundedRect(box, 4, 4);
    p.setPen(QColor::fromRgba(theme_.text));
    p.drawText(box.adjusted(8, 0, -8, 0), Qt::AlignCenter,
               p.fontMetrics().elidedText(text, Qt::ElideMiddle, static_cast<int>(w) - 16));
  };
  if (hovered_ >= 0) {
    label(points_[static_cast<size_t>(hovered_)]);
  } else if (const auto it = std::ranges::find(points_, selected_, &Point::item); it != points_.end()) {
    label(*it);
  }
}

void RooflineView::mousePressEvent(QMouseEvent* event) {
  const int i = nearest(event->position());
  selected_ = i < 0 ? 0 : points_[static_cast<size_t>(i)].item;
  if (i >= 0) emit itemChosen(selected_);
  update();
}

void RooflineView::mouseMoveEvent(QMouseEvent* event) {
  const int i = nearest(event->position());
  if (i == hovered_) return;
  hovered_ = i;
  update();
}

void RooflineView::mouseDoubleClickEvent(QMouseEvent* event) {
  const int i = nearest(event->position());
  if (i >= 0) emit itemActivated(points_[static_cast<size_t>(i)].item);
}

// Left and right walk the kernels in their order.
void RooflineView::keyPressEvent(QKeyEvent* event) {
  const int by = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  if (event->key() == Qt::Key_Escape) {
    emit left();
  } else if (by != 0 && !points_.empty()) {
    const auto it = std::ranges::find(points_, selected_, &Point::item);
    const int now = it == points_.end() ? (by > 0 ? -1 : points()) : static_cast<int>(it - points_.begin());
    selected_ = points_[static_cast<size_t>(std::clamp(now + by, 0, points() - 1))].item;
    emit itemChosen(selected_);
    update();
  } else {
    QWidget::keyPressEvent(event);
  }
}

bool RooflineView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
      event->accept();
      return true;
    }
  }
  return QWidget::event(event);
}

void RooflineView::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

}  // namespace rangescope::viewer
