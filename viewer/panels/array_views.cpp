#include "viewer/panels/array_views.h"

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

namespace {
constexpr QRgb kNoNumber = 0xffff00ff;
constexpr int kArrayMargin = 8;
}  // namespace

ArrayImage::ArrayImage(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
}

void ArrayImage::setArray(std::shared_ptr<const ArrayFile> array, const ArrayFigures& figures, int64_t width) {
  array_ = std::move(array);
  figures_ = figures;
  width_ = std::max<int64_t>(1, width);
  rows_ = array_ ? (array_->count() + width_ - 1) / width_ : 0;
  update();
}

void ArrayImage::setDark(bool dark) {
  dark_ = dark;
  update();
}

// As large as the widget allows, elements square.
QRectF ArrayImage::area(QSize size) const {
  if (rows_ == 0) return {};
  const double scale = std::min(static_cast<double>(size.width() - 2 * kArrayMargin) / static_cast<double>(width_),
                                static_cast<double>(size.height() - 2 * kArrayMargin) / static_cast<double>(rows_));
  if (scale <= 0) return {};
  // whole pixels an element where there is room, so that all are of a size
  const double side = scale > 1 ? std::floor(scale) : scale;
  return {kArrayMargin, kArrayMargin, std::max(1.0, side * static_cast<double>(width_)),
          std::max(1.0, side * static_cast<double>(rows_))};
}

QImage ArrayImage::render(QSize size) const {
  const QRectF to = area(size);
  if (!array_ || to.isEmpty()) return {};
  // one pixel an element, or one element a pixel where they are more
  const auto columns = static_cast<int>(std::min<int64_t>(width_, std::lround(std::ceil(to.width()))));
  const auto rows = static_cast<int>(std::min<int64_t>(rows_, std::lround(std::ceil(to.height()))));
  QImage image(columns, rows, QImage::Format_RGB32);
  const double range = figures_.most - figures_.least;
  for (int y = 0; y < rows; ++y) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
    const int64_t row = y * rows_ / rows;
    for (int x = 0; x < columns; ++x) {
      const int64_t i = row * width_ + x * width_ / columns;
      const double v = i < array_->count() ? array_->at(i) : 0;
      line[x] = i >= array_->count() ? palette().color(QPalette::Window).rgb()
                : !std::isfinite(v)  ? kNoNumber
                                     : heatColor(range > 0 ? (v - figures_.least) / range : 0.5, dark_);
    }
  }
  // what is no number is seen however small its element is drawn
  if (const int64_t bad = figures_.firstBad(); bad >= 0)
    image.setPixel(static_cast<int>((bad % width_) * columns / width_), static_cast<int>((bad / width_) * rows / rows_),
                   kNoNumber);
  return image;
}

void ArrayImage::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().window());
  if (const QImage image = render(size()); !image.isNull()) painter.drawImage(area(size()), image);
}

qlonglong ArrayImage::elementAt(QPointF at) const {
  const QRectF to = area(size());
  if (!array_ || !to.contains(at)) return -1;
  const auto x = static_cast<int64_t>((at.x() - to.left()) / to.width() * static_cast<double>(width_));
  const auto y = static_cast<int64_t>((at.y() - to.top()) / to.height() * static_cast<double>(rows_));
  const int64_t i = y * width_ + x;
  return i < array_->count() ? i : -1;
}

void ArrayImage::mousePressEvent(QMouseEvent* event) {
  if (const qlonglong i = elementAt(event->position()); i >= 0) emit elementChosen(i);
}

void ArrayImage::mouseMoveEvent(QMouseEvent* event) {
  const qlonglong i = elementAt(event->position());
  QToolTip::showText(event->globalPosition().toPoint(),
                     i < 0 ? QString() : tr("[%1, %2]  %3").arg(i / width_).arg(i % width_).arg(array_->text(i)), this);
}

void ArrayHistogram::setFigures(const ArrayFigures& figures) {
  figures_ = figures;
  update();
}

void ArrayHistogram::setDark(bool dark) {
  dark_ = dark;
  update();
}

void ArrayHistogram::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().base());
  const int line = fontMetrics().lineSpacing();
  const QRect plot = rect().adjusted(kArrayMargin, kArrayMargin + line, -kArrayMargin, -kArrayMargin - line - 4);
  if (figures_.histogram.empty() || plot.width() < kHistogramBins || plot.height() < 8) return;
  const int64_t most = *std::ranges::max_element(figures_.histogram);
  const auto bins = static_cast<int>(figures_.histogram.size());
  painter.setPen(Qt::NoPen);
  painter.setBrush(palette().highlight());
  for (int b = 0; b < bins; ++b) {
    const int64_t n = figures_.histogram[static_cast<size_t>(b)];
    if (n == 0) continue;
    // a root keeps the few beside the many in sight
    const double height = std::max(1.0, std::sqrt(static_cast<double>(n) / static_cast<double>(most)) * plot.height());
    const int left = plot.left() + b * plot.width() / bins, right = plot.left() + (b + 1) * plot.width() / bins;
    painter.drawRect(QRectF(left, plot.bottom() + 1 - height, std::max(1, right - left - 1), height));
  }
  painter.setPen(palette().color(QPalette::Text));
  painter.drawLine(plot.left(), plot.bottom() + 1, plot.right(), plot.bottom() + 1);
  const QRect below(plot.left(), plot.bottom() + 4, plot.width(), line);
  painter.drawText(below, Qt::AlignLeft, QString::number(figures_.least, 'g', 5));
  painter.drawText(below, Qt::AlignRight, QString::number(figures_.most, 'g', 5));
  painter.drawText(QRect(plot.left(), kArrayMargin / 2, plot.width(), line), Qt::AlignLeft,
                   tr("at most %1 elements a bar; heights by the root").arg(qtCount(most)));
}

}  // namespace rangescope::viewer
