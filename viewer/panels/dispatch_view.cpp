#include "viewer/panels/dispatch_view.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "viewer/canvas/op_style.h"
#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

namespace {

constexpr double kTitle = 18, kLane = 24, kGap = 6;
constexpr double kFinest = 0.02;   // nanoseconds a pixel: one fills 50 pixels
constexpr double kSingle = 2;      // narrower bars are drawn together
constexpr double kLabelFrom = 34;  // pixels

// Told apart by lightness as well as hue, text readable on each.
constexpr QRgb kColors[] = {0xff8dbbe8, 0xfff2b26b, 0xff9fd49a, 0xffe79a9b, 0xffc3aee0, 0xffd2b09a,
                            0xfff0b7d8, 0xffb9bec4, 0xffd6d67a, 0xff86cfd6, 0xff6f9fd8, 0xfff5cf9a};

// 1, 2 or 5 times a power of ten, at least `least`.
double roundStep(double least) {
  const double power = std::pow(10, std::floor(std::log10(std::max(least, 1e-3))));
  for (const double k : {1.0, 2.0, 5.0})
    if (k * power >= least) return k * power;
  return 10 * power;
}

QString timeText(double ns, double step) {
  const double v = std::abs(ns);
  if (v == 0) return QStringLiteral("0");
  const auto digits = [&](double unit) {
    return std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit))), 0, 6);
  };
  if (v < 1e3 && step < 1e3) return QString::number(ns, 'f', digits(1)) + QStringLiteral(" ns");
  if (v < 1e6) return QString::number(ns / 1e3, 'f', digits(1e3)) + QStringLiteral(" µs");
  if (v < 1e9) return QString::number(ns / 1e6, 'f', digits(1e6)) + QStringLiteral(" ms");
  return QString::number(ns / 1e9, 'f', digits(1e9)) + QStringLiteral(" s");
}

}  // namespace

DispatchView::DispatchView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("dispatches"));
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(160, 90);
  setAccessibleName(tr("Timeline of dispatches"));
}

void DispatchView::setTimeline(std::shared_ptr<const DispatchTimeline> timeline) {
  timeline_ = std::move(timeline);
  measure_.reset();
  hovered_.reset();
  scroll_ = 0;
  fit();
}

void DispatchView::setKernels(const std::vector<KernelRow>& kernels) {
  kernels_.clear();
  kernelOf_.clear();
  for (const KernelRow& k : kernels) {
    const auto item = static_cast<size_t>(std::clamp<int64_t>(k.item, 0, 1 << 24));
    if (item >= kernelOf_.size()) kernelOf_.resize(item + 1, -1);
    kernelOf_[item] = static_cast<int>(kernels_.size());
    kernels_.push_back(k.name);
  }
  update();
}

void DispatchView::setMessage(const QString& message) {
  message_ = message;
  update();
}

void DispatchView::setTheme(const CanvasTheme& theme) {
  theme_ = theme;
  update();
}

void DispatchView::select(qlonglong item) {
  selected_ = item;
  update();
}

void DispatchView::place(double from, double scale) {
  const double widest = timeline_ ? std::max(1.0, static_cast<double>(timeline_->end - timeline_->begin)) * 1.5 : 1;
  scale_ = std::clamp(scale, kFinest, widest / std::max(width(), 1));
  const double span = scale_ * width();
  if (timeline_)  // something of it always stays in sight
    from = std::clamp(from, static_cast<double>(timeline_->begin) - span * 0.9,
                      static_cast<double>(timeline_->end) - span * 0.1);
  from_ = from;
  update();
}

void DispatchView::fit() {
  fitted_ = true;
  if (!timeline_ || width() <= 0) return update();
  const double span = std::max(1.0, static_cast<double>(timeline_->end - timeline_->begin)) * 1.02;
  place(static_cast<double>(timeline_->begin) - span * 0.01, span / width());
}

void DispatchView::zoom(double factor, double atX) {
  fitted_ = false;
  const double time = timeAt(atX);
  place(from_, scale_ / factor);
  place(time - atX * scale_, scale_);
}

// The selected kernel's first dispatch that is not a warm-up.
void DispatchView::fitSelection() {
  if (!timeline_ || selected_ == 0) return fit();
  for (const DispatchLane& lane : timeline_->lanes)
    for (const Dispatch& d : lane.dispatches())
      if (d.item == selected_ && !d.warmUp) {
        fitted_ = false;
        const double span = std::max<double>(static_cast<double>(d.ns), 10) * 3;
        place(static_cast<double>(d.start) - span / 3, span / std::max(width(), 1));
        return;
      }
}

QRectF DispatchView::laneRect(size_t lane) const {
  double y = kRuler - scroll_;
  if (!timeline_) return {};
  for (const DispatchRun& run : timeline_->runs) {
    y += kTitle;
    if (lane < run.last)
      return {0, y + static_cast<double>(lane - run.first) * kLane, static_cast<double>(width()), kLane - 3};
    y += static_cast<double>(run.last - run.first) * kLane + kGap;
  }
  return {};
}

std::optional<DispatchView::Spot> DispatchView::at(QPointF p) const {
  if (!timeline_ || p.y() < kRuler) return std::nullopt;
  for (size_t lane = 0; lane < timeline_->lanes.size(); ++lane) {
    if (!laneRect(lane).contains(p)) continue;
    const DispatchLane& l = timeline_->lanes[lane];
    // two pixels of grace, so that a bar of a nanosecond can be hit
    const size_t i = l.firstEnding(timeAt(p.x() - 1.5)), n = l.dispatches().size();
    if (i == n || static_cast<double>(l.dispatches()[i].start) > timeAt(p.x() + 1.5)) return std::nullopt;
    const size_t end = std::max(i + 1, l.firstFrom(timeAt(p.x() + 1.5)));
    return Spot{lane, l.longest(i, end)};
  }
  return std::nullopt;
}

QString DispatchView::name(int32_t item) const {
  const auto i = static_cast<size_t>(item);
  if (item < 0 || i >= kernelOf_.size() || kernelOf_[i] < 0) return tr("item %1").arg(item);
  return qtText(kernels_[static_cast<size_t>(kernelOf_[i])]);
}

QRgb DispatchView::color(int32_t item) const {
  const auto i = static_cast<size_t>(item);
  const int row = item >= 0 && i < kernelOf_.size() && kernelOf_[i] >= 0 ? kernelOf_[i] : item;
  const QRgb c = kColors[static_cast<size_t>(row) % std::size(kColors)];
  return theme_.dark ? mix(c, 0xff000000, 0.18) : c;
}

QString DispatchView::about(const Dispatch& d) const {
  return tr("%1 (#%2)%3: %4, from %5")
      .arg(name(d.item))
      .arg(d.item)
      .arg(d.warmUp ? tr(", warm-up") : tr(", repeat %1").arg(d.repeat + 1))
      .arg(qtText(durationText(static_cast<double>(d.ns))), qtText(durationText(static_cast<double>(d.start))));
}

void DispatchView::paintRuler(QPainter& p) {
  p.fillRect(QRectF(0, 0, width(), kRuler), QColor::fromRgba(mix(theme_.background, theme_.text, 0.05)));
  const double step = roundStep(scale_ * 110);
  p.setPen(QColor::fromRgba(theme_.mutedText));
  const double first = std::ceil(from_ / step);
  for (double k = first; xOf(k * step) < width(); ++k) {
    const double x = xOf(k * step);
    p.drawLine(QPointF(x, kRuler - 6), QPointF(x, kRuler));
    p.drawText(QRectF(x + 3, 0, 120, kRuler), Qt::AlignLeft | Qt::AlignVCenter, timeText(k * step, step));
  }
  p.setPen(QColor::fromRgba(mix(theme_.background, theme_.text, 0.1)));
  for (double k = first; xOf(k * step) < width(); ++k)
    p.drawLine(QPointF(xOf(k * step), kRuler), QPointF(xOf(k * step), height()));
}

void DispatchView::paintLane(QPainter& p, const DispatchLane& lane, const QRectF& area) {
  const auto& all = lane.dispatches();
  const double right = timeAt(width());
  size_t i = lane.firstEnding(timeAt(0));
  while (i < all.size() && static_cast<double>(all[i].start) < right) {
    const Dispatch& d = all[i];
    const double x = xOf(static_cast<double>(d.start)), w = static_cast<double>(d.ns) / scale_;
    if (w >= kSingle) {
      const QRectF bar(std::max(x, -2.0), area.y(), std::min(x + w, width() + 2.0) - std::max(x, -2.0), area.height());
      const QRgb fill = d.warmUp ? mix(color(d.item), theme_.background, 0.55) : color(d.item);
      p.fillRect(bar, QColor::fromRgba(fill));
      if (w > 5) {
        p.setPen(QColor::fromRgba(mix(fill, theme_.background, 0.5)));
        p.drawLine(bar.topRight(), bar.bottomRight());
      }
      if (d.item == selected_) {
        p.setPen(QPen(QColor::fromRgba(theme_.selection), 2));
        p.drawRect(bar.adjusted(1, 1, -1, -1));
      }
      if (bar.width() > kLabelFrom) {
        p.setPen(QColor::fromRgba(textOn(fill)));
        QString label = name(d.item);
        if (bar.width() > 150) label += QStringLiteral("  ") + qtText(durationText(static_cast<double>(d.ns)));
        p.drawText(bar.adjusted(5, 0, -3, 0), Qt::AlignLeft | Qt::AlignVCenter,
                   p.fontMetrics().elidedText(label, Qt::ElideRight, static_cast<int>(bar.width()) - 8));
      }
      ++i;
    } else {
      // all that begin in these two pixels: how full they are, in the colour of the longest
      const double from = std::floor(x / kSingle) * kSingle, until = timeAt(from + kSingle);
      const size_t end = std::max(i + 1, lane.firstFrom(until));
      const Dispatch& most = all[lane.longest(i, end)];
      const double full = std::clamp(static_cast<double>(lane.busy(i, end)) / (kSingle * scale_), 0.25, 1.0);
      const QRgb fill = most.item == selected_ ? theme_.selection : color(most.item);
      const double h = area.height() * (0.3 + 0.7 * full);
      p.fillRect(QRectF(from, area.bottom() - h, kSingle, h),
                 QColor::fromRgba(mix(theme_.background, fill, 0.35 + 0.65 * full)));
      i = end;
    }
    ++bars_;
  }
}

void DispatchView::paintMeasure(QPainter& p) {
  if (!measure_) return;
  const double a = xOf(std::min(measure_->first, measure_->second)),
               b = xOf(std::max(measure_->first, measure_->second));
  p.fillRect(QRectF(a, kRuler, b - a, height()), QColor::fromRgba((theme_.selection & 0xffffff) | 0x30000000));
  p.setPen(QPen(QColor::fromRgba(theme_.selection), 1));
  p.drawLine(QPointF(a, 0), QPointF(a, height()));
  p.drawLine(QPointF(b, 0), QPointF(b, height()));
  const QString text = qtText(durationText(std::abs(measure_->second - measure_->first)));
  const double w = p.fontMetrics().horizontalAdvance(text) + 12;
  const QRectF tag(std::clamp((a + b - w) / 2, 2.0, std::max(2.0, width() - w - 2)), 3, w, kRuler - 6);
  p.setPen(Qt::NoPen);
  p.setBrush(QColor::fromRgba(theme_.selection));
  p.drawRoundedRect(tag, 4, 4);
  p.setPen(QColor::fromRgba(textOn(theme_.selection)));
  p.drawText(tag, Qt::AlignCenter, text);
}

void DispatchView::paintEvent(QPaintEvent*) {
  QElapsedTimer clock;
  clock.start();
  QPainter p(this);
  p.fillRect(rect(), QColor::fromRgba(theme_.background));
  bars_ = 0;
  if (!timeline_ || timeline_->count == 0) {
    p.setPen(QColor::fromRgba(theme_.mutedText));
    p.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap, message_);
    return;
  }
  for (const DispatchRun& run : timeline_->runs) {
    const double y = laneRect(run.first).y() - kTitle;
    for (size_t lane = run.first; lane < run.last; ++lane) {
      const QRectF area = laneRect(lane);
      if (area.bottom() < kRuler || area.y() > height()) continue;
      p.fillRect(area, QColor::fromRgba(mix(theme_.background, theme_.text, 0.03)));
      paintLane(p, timeline_->lanes[lane], area);
    }
    p.setPen(QColor::fromRgba(theme_.mutedText));
    p.drawText(QRectF(6, y, width() - 12, kTitle), Qt::AlignLeft | Qt::AlignVCenter, qtText(run.title));
  }
  if (hovered_) {
    const Dispatch& d = dispatch(*hovered_);
    const QRectF area = laneRect(hovered_->lane);
    p.setPen(QPen(QColor::fromRgba(theme_.text), 1));
    p.setBrush(Qt::NoBrush);
    p.drawRect(QRectF(xOf(static_cast<double>(d.start)), area.y(), std::max(2.0, static_cast<double>(d.ns) / scale_),
                      area.height()));
  }
  paintRuler(p);
  paintMeasure(p);
  paintMs_ = static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

}  // namespace rangescope::viewer
