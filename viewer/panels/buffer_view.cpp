#include "viewer/panels/buffer_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "viewer/canvas/op_style.h"
#include "viewer/model/qt_text.h"
#include "viewer/panels/rows_look.h"

namespace rangescope::viewer {

namespace {
constexpr double kNames = 170;  // width of the names at the left
constexpr double kMemory = 84;  // height of the plot above
constexpr double kRow = 18;
}  // namespace

BufferView::BufferView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("bufferView"));
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMouseTracking(true);
  setAccessibleName(tr("Buffers over the schedule"));
}

void BufferView::setPlot(std::shared_ptr<const BufferPlot> plot) {
  plot_ = std::move(plot);
  const double rows = plot_ ? static_cast<double>(plot_->buffers.size()) : 0;
  setMinimumHeight(static_cast<int>(kMemory + rows * kRow + 24));
  update();
}

void BufferView::setTheme(const CanvasTheme& theme) {
  theme_ = theme;
  update();
}

void BufferView::select(qlonglong item) {
  selected_ = item;
  update();
}

double BufferView::itemWidth() const {
  return std::max(1.0, width() - kNames - 12) /
         static_cast<double>(std::max<size_t>(1, plot_ ? plot_->items.size() : 1));
}

double BufferView::x(size_t position) const {
  return kNames + static_cast<double>(position) * itemWidth();
}

size_t BufferView::positionAt(double place) const {
  const double position = std::floor((place - kNames) / itemWidth());
  return static_cast<size_t>(std::clamp(position, 0.0, static_cast<double>(plot_->items.size() - 1)));
}

QRectF BufferView::columnOf(size_t position) const {
  return {x(position), 0, itemWidth(), static_cast<double>(height())};
}

QRectF BufferView::barOf(size_t buffer) const {
  const BufferLife& b = plot_->buffers[buffer];
  const double y = kMemory + static_cast<double>(buffer) * kRow;
  return {x(b.first), y + 3, std::max(2.0, x(b.last + 1) - x(b.first) - 1), kRow - 6};
}

int BufferView::bufferAt(QPointF at) const {
  const double row = std::floor((at.y() - kMemory) / kRow);
  return row < 0 || row >= static_cast<double>(plot_->buffers.size()) ? -1 : static_cast<int>(row);
}

void BufferView::paintMemory(QPainter& p) const {
  const int64_t most = std::max<int64_t>(1, plot_->live[plot_->peak]);
  const double top = 20, height = kMemory - 30;
  const auto y = [&](int64_t bytes) {
    return top + height * (1 - static_cast<double>(bytes) / static_cast<double>(most));
  };
  const QColor fill = QColor::fromRgba(mix(theme_.background, theme_.selection, 0.35)),
               given = QColor::fromRgba(mix(theme_.background, theme_.text, 0.15));
  for (size_t i = 0; i < plot_->live.size(); ++i) {
    p.fillRect(QRectF(QPointF(x(i), y(plot_->live[i])), QPointF(x(i + 1), top + height)), fill);
    p.fillRect(QRectF(QPointF(x(i), y(plot_->parameters)), QPointF(x(i + 1), top + height)), given);
  }
  p.setPen(QColor::fromRgba(theme_.mutedText));
  p.drawText(QRectF(4, top - 8, kNames - 10, 16), Qt::AlignRight | Qt::AlignVCenter, qtText(bytesText(most)));
  p.drawText(QRectF(4, top + height - 8, kNames - 10, 16), Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("0"));
  p.drawText(QRectF(kNames, 1, width() - kNames - 12, 16), Qt::AlignLeft | Qt::AlignVCenter,
             tr("memory alive while each item of the schedule runs; grey: the caller's"));
}

void BufferView::paintEvent(QPaintEvent* event) {
  QPainter p(this);
  p.fillRect(event->rect(), QColor::fromRgba(theme_.background));
  p.setPen(QColor::fromRgba(theme_.mutedText));
  if (!plot_ || plot_->items.empty()) {
    p.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap,
               plot_ ? tr("This trace has no schedule.") : tr("Open a trace (Ctrl+O)."));
    return;
  }
  const auto at = std::ranges::find(plot_->items, selected_);
  if (at != plot_->items.end())
    p.fillRect(columnOf(static_cast<size_t>(at - plot_->items.begin())),
               QColor::fromRgba(mix(theme_.background, theme_.selection, 0.18)));
  paintMemory(p);
  const int first = std::max(0, static_cast<int>((event->rect().top() - kMemory) / kRow));
  const int last = std::min(static_cast<int>(plot_->buffers.size()) - 1,
                            static_cast<int>((event->rect().bottom() - kMemory) / kRow));
  for (int i = first; i <= last; ++i) {
    const BufferLife& b = plot_->buffers[static_cast<size_t>(i)];
    const double y = kMemory + i * kRow;
    const QString size = qtText(bytesText(b.bytes));
    const double sizeWidth = fontMetrics().horizontalAdvance(size) + 8;
    p.setPen(QColor::fromRgba(theme_.text));
    p.drawText(QRectF(6, y, kNames - 12 - sizeWidth, kRow), Qt::AlignLeft | Qt::AlignVCenter,
               fontMetrics().elidedText(qtText(b.name), Qt::ElideMiddle, static_cast<int>(kNames - 12 - sizeWidth)));
    p.setPen(QColor::fromRgba(theme_.mutedText));
    p.drawText(QRectF(6, y, kNames - 12, kRow), Qt::AlignRight | Qt::AlignVCenter, size);
    const QRectF bar = barOf(static_cast<size_t>(i));
    p.fillRect(bar, QColor::fromRgba(b.parameter ? mix(theme_.background, theme_.text, 0.45) : theme_.selection));
  }
}

QString BufferView::describe(QPointF at) const {
  if (!plot_ || plot_->items.empty()) return {};
  const auto item = [&](size_t i) {
    return QStringLiteral("%1 (#%2)").arg(qtText(plot_->kernels[i])).arg(plot_->items[i]);
  };
  if (const int i = bufferAt(at); i >= 0) {
    const BufferLife& b = plot_->buffers[static_cast<size_t>(i)];
    return tr("%1: %2 of %3%4\nfrom %5 to %6, in %7 uses")
        .arg(qtText(b.name), qtText(bytesText(b.bytes)), qtText(b.dtype),
             b.parameter ? tr(", the caller's") : QString(), item(b.first), item(b.last))
        .arg(b.uses);
  }
  if (at.x() < kNames) return {};
  const size_t i = positionAt(at.x());
  return tr("%1: %2 alive").arg(item(i), qtText(bytesText(plot_->live[i])));
}

bool BufferView::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), describe(help->pos()), this);
    return true;
  }
  if (event->type() == QEvent::ShortcutOverride && walksRows(static_cast<QKeyEvent*>(event)->key())) event->accept();
  return QWidget::event(event);
}

void BufferView::choose(size_t position) {
  selected_ = plot_->items[position];
  update();
  emit itemChosen(selected_);
}

void BufferView::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (!plot_ || plot_->items.empty() || event->button() != Qt::LeftButton) return;
  const QPointF at = event->position();
  // on a bar the item under the pointer; at its name the one that uses it first
  if (at.x() >= kNames)
    choose(positionAt(at.x()));
  else if (const int i = bufferAt(at); i >= 0)
    choose(plot_->buffers[static_cast<size_t>(i)].first);
}

void BufferView::mouseDoubleClickEvent(QMouseEvent* event) {
  mousePressEvent(event);
  if (selected_ != 0) emit itemActivated(selected_);
}

void BufferView::keyPressEvent(QKeyEvent* event) {
  const auto at = plot_ ? std::ranges::find(plot_->items, selected_) : std::vector<int64_t>::const_iterator();
  if (event->key() == Qt::Key_Escape) {
    emit left();
  } else if (plot_ && !plot_->items.empty() && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)) {
    const auto n = static_cast<int64_t>(plot_->items.size());
    const int64_t now = at == plot_->items.end() ? -1 : at - plot_->items.begin();
    choose(static_cast<size_t>(std::clamp<int64_t>(now + (event->key() == Qt::Key_Down ? 1 : -1), 0, n - 1)));
  } else if (event->key() == Qt::Key_Return && selected_ != 0) {
    emit itemActivated(selected_);
  } else {
    QWidget::keyPressEvent(event);
  }
}

BufferPanel::BufferPanel(QWidget* parent)
    : QWidget(parent), said_(new QLabel(this)), scroll_(new QScrollArea(this)), view_(new BufferView) {
  setObjectName(QStringLiteral("buffers"));
  said_->setObjectName(QStringLiteral("buffersSaid"));
  said_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  said_->setContentsMargins(6, 4, 6, 0);
  scroll_->setWidget(view_);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(said_);
  layout->addWidget(scroll_, 1);
}

void BufferPanel::setMessage(const QString& text) {
  said_->setText(text);
}

void BufferPanel::setPlot(std::shared_ptr<const BufferPlot> plot) {
  if (plot && !plot->items.empty())
    setMessage(tr("%1 buffers. At most %2 are alive at once, in %3; %4 of it the caller's.")
                   .arg(qtCount(static_cast<int64_t>(plot->buffers.size())), qtText(bytesText(plot->live[plot->peak])),
                        qtText(plot->kernels[plot->peak]), qtText(bytesText(plot->parameters))));
  else
    setMessage({});
  view_->setPlot(std::move(plot));
}

}  // namespace rangescope::viewer
