#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "viewer/model/qt_text.h"
#include "viewer/panels/dispatch_view.h"

// What mouse and keys do; the rest of DispatchView is in dispatch_view.cpp.
namespace rangescope::viewer {

void DispatchView::wheelEvent(QWheelEvent* event) {
  const QPoint turned = event->angleDelta();
  if (event->modifiers() & Qt::ShiftModifier || std::abs(turned.x()) > std::abs(turned.y())) {
    const double by = turned.x() != 0 ? turned.x() : turned.y();
    fitted_ = false;
    place(from_ - by * scale_, scale_);
  } else {
    zoom(std::pow(1.0015, turned.y()), event->position().x());
  }
  event->accept();
}

void DispatchView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !timeline_) return;
  pressed_ = event->position();
  fromPressed_ = from_;
  scrollPressed_ = scroll_;
  // the ruler is for measuring, as in other timelines
  const bool measures = event->modifiers() & Qt::ShiftModifier || pressed_.y() < kRuler;
  drag_ = measures ? Drag::Measure : Drag::Maybe;
  if (measures) measure_ = {timeAt(pressed_.x()), timeAt(pressed_.x())};
}

void DispatchView::mouseMoveEvent(QMouseEvent* event) {
  const QPointF by = event->position() - pressed_;
  if (drag_ == Drag::Maybe && by.manhattanLength() > 4) drag_ = Drag::Pan;
  if (drag_ == Drag::Pan) {
    fitted_ = false;
    const double bottom = laneRect(timeline_->lanes.size() - 1).bottom() + scroll_;
    scroll_ =
        std::clamp(scrollPressed_ - static_cast<int>(by.y()), 0, std::max(0, static_cast<int>(bottom) + 8 - height()));
    place(fromPressed_ - by.x() * scale_, scale_);
    return;
  }
  if (drag_ == Drag::Measure) {
    measure_->second = timeAt(event->position().x());
    sayMeasured();
    update();
    return;
  }
  const auto under = at(event->position());
  const bool same = under.has_value() == hovered_.has_value() &&
                    (!under || (under->lane == hovered_->lane && under->index == hovered_->index));
  if (same) return;
  hovered_ = under;
  if (hovered_) emit said(about(dispatch(*hovered_)));
  update();
}

void DispatchView::sayMeasured() {
  const double a = std::min(measure_->first, measure_->second), b = std::max(measure_->first, measure_->second);
  size_t n = 0;
  int64_t busy = 0;
  for (const DispatchLane& lane : timeline_->lanes) {
    const size_t first = lane.firstFrom(a), last = std::max(first, lane.firstFrom(b));
    n += last - first;
    busy += lane.busy(first, last);
  }
  emit said(tr("%1 measured: %2 dispatches begin in it, %3 busy")
                .arg(qtText(durationText(b - a)), qtCount(static_cast<int64_t>(n)),
                     qtText(durationText(static_cast<double>(busy)))));
}

void DispatchView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (drag_ == Drag::Maybe) {
    const auto under = at(event->position());
    selected_ = under ? dispatch(*under).item : 0;
    if (under) {
      emit said(about(dispatch(*under)));
      emit itemChosen(selected_);
    }
    update();
  } else if (drag_ == Drag::Measure && measure_->first == measure_->second) {
    measure_.reset();
    update();
  }
  drag_ = Drag::None;
}

void DispatchView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const auto under = at(event->position())) emit itemActivated(dispatch(*under).item);
}

void DispatchView::keyPressEvent(QKeyEvent* event) {
  const double page = width() * scale_ * 0.2;
  switch (event->key()) {
    case Qt::Key_Left:
      fitted_ = false;
      return place(from_ - page, scale_);
    case Qt::Key_Right:
      fitted_ = false;
      return place(from_ + page, scale_);
    case Qt::Key_Up:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(1.5, width() / 2.0);
    case Qt::Key_Down:
    case Qt::Key_Minus:
      return zoom(1 / 1.5, width() / 2.0);
    case Qt::Key_Space:
    case Qt::Key_Home:
      return fit();
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return fitSelection();
    case Qt::Key_Escape:
      if (!measure_) emit left();
      measure_.reset();
      return update();
    default:
      QWidget::keyPressEvent(event);
  }
}

bool DispatchView::event(QEvent* event) {
  // these keys are the timeline's while it has the focus, whatever they do elsewhere in the window
  if (event->type() == QEvent::ShortcutOverride) switch (static_cast<QKeyEvent*>(event)->key()) {
      case Qt::Key_Left:
      case Qt::Key_Right:
      case Qt::Key_Up:
      case Qt::Key_Down:
      case Qt::Key_Plus:
      case Qt::Key_Equal:
      case Qt::Key_Minus:
      case Qt::Key_Space:
      case Qt::Key_Home:
      case Qt::Key_Return:
      case Qt::Key_Enter:
        event->accept();
        return true;
      default:
        break;
    }
  return QWidget::event(event);
}

void DispatchView::leaveEvent(QEvent*) {
  if (!hovered_) return;
  hovered_.reset();
  update();
}

void DispatchView::resizeEvent(QResizeEvent*) {
  if (fitted_)
    fit();
  else
    place(from_, scale_);
}

}  // namespace rangescope::viewer
