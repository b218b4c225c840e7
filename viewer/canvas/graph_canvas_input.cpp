#include <QKeyEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "viewer/canvas/graph_canvas.h"

// What mouse and keys do; the rest of GraphCanvas is in graph_canvas.cpp.
namespace rangescope::viewer {

namespace {
constexpr double kDragPixels = 4;  // less is a click with an unsteady hand
constexpr uint32_t kFocusHops = 2;
}  // namespace

// Selection, hover, focus

std::optional<uint32_t> GraphCanvas::hovered() const {
  if (!hoveredNode_) return std::nullopt;
  return frame_->graph.nodes[*hoveredNode_].key;
}

std::optional<uint32_t> GraphCanvas::focusedNode() const {
  if (focusKeys_.empty()) return std::nullopt;
  return focusKeys_.back();
}

void GraphCanvas::select(std::optional<uint32_t> key) {
  selected_ = key;
  selectedNode_ = frame_ && key ? frame_->keys.find(*key) : std::nullopt;
  update();
}

void GraphCanvas::setHovered(std::optional<uint32_t> node) {
  if (node == hoveredNode_) return;
  const auto before = hovered();
  hoveredNode_ = node;
  if (before) emit nodeHovered(*before, false);
  if (node) emit nodeHovered(frame_->graph.nodes[*node].key, true);
  setCursor(node ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
}

void GraphCanvas::applyFocus() {
  // A focus whose node is gone gives way to the wider one.
  while (!focusKeys_.empty() && (!frame_ || !frame_->keys.find(focusKeys_.back()))) {
    focusKeys_.pop_back(), focusViews_.pop_back();
    if (focusKeys_.empty()) emit focusChanged(false);
  }
  focus_.clear();
  if (focusKeys_.empty()) return;
  focus_.assign(frame_->graph.nodes.size(), false);
  for (uint32_t v : neighbourhood(frame_->graph, *frame_->keys.find(focusKeys_.back()), kFocusHops)) focus_[v] = true;
}

void GraphCanvas::focusNeighbourhood(quint32 key) {
  if (!frame_ || !frame_->keys.find(key)) return;
  if (focusKeys_.empty() || focusKeys_.back() != key) {
    focusViews_.push_back(view_);
    focusKeys_.push_back(key);
  }
  applyFocus();
  // Near neighbours decide the zoom: two steps away may be anywhere.
  Rect area;
  for (uint32_t v : neighbourhood(frame_->graph, *frame_->keys.find(key), 1, 24))
    area = area.united(frame_->layout.nodes[v]);
  ViewTransform view = ViewTransform::fitting(area, size(), 40, 1);
  if (view.scale < 0.45) {
    view.scale = 0.7;
    view = view.centered(frame_->layout.nodes[*frame_->keys.find(key)].center(), size());
  }
  emit focusChanged(true);
  glideTo(view);
}

void GraphCanvas::widen() {
  if (!focusKeys_.empty()) {
    const ViewTransform back = focusViews_.back();
    focusKeys_.pop_back(), focusViews_.pop_back();
    applyFocus();
    emit focusChanged(!focusKeys_.empty());
    return glideTo(back);
  }
  if (!selected_) return;
  select(std::nullopt);
  emit selectionCleared();
}

void GraphCanvas::pickSelected(uint32_t node) {
  const uint32_t key = frame_->graph.nodes[node].key;
  select(key);
  emit nodeClicked(key);
}

void GraphCanvas::selectSource() {
  if (!selectedNode_) return;
  const Adjacency& a = frame_->adjacency;
  if (a.sourceStart[*selectedNode_] == a.sourceStart[*selectedNode_ + 1]) return;
  const uint32_t source = frame_->graph.edges[a.sourceEdges[a.sourceStart[*selectedNode_]]].from;
  pickSelected(source);
  reveal(*selected_);
}

void GraphCanvas::selectUser() {
  if (!selectedNode_) return;
  const Adjacency& a = frame_->adjacency;
  if (a.userStart[*selectedNode_] == a.userStart[*selectedNode_ + 1]) return;
  const uint32_t user = frame_->graph.edges[a.userEdges[a.userStart[*selectedNode_]]].to;
  pickSelected(user);
  reveal(*selected_);
}

void GraphCanvas::selectSibling(int step) {
  if (!selectedNode_) return;
  // The next node of the same rank in reading direction.
  const Layout& l = frame_->layout;
  const bool across = l.direction != Direction::SourcesLeft;
  const auto at = [&](uint32_t v) { return across ? l.nodes[v].center().x : l.nodes[v].center().y; };
  std::optional<uint32_t> best;
  for (uint32_t v = 0; v < l.nodes.size(); v++) {
    if (v == *selectedNode_ || l.ranks[v] != l.ranks[*selectedNode_]) continue;
    const double d = (at(v) - at(*selectedNode_)) * (step < 0 ? -1 : 1);
    if (d > 0 && (!best || d < (at(*best) - at(*selectedNode_)) * (step < 0 ? -1 : 1))) best = v;
  }
  if (!best) return;
  pickSelected(*best);
  reveal(*selected_);
}

// Mouse and keys

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return QWidget::mousePressEvent(event);
  finishMotion();
  pressed_ = event->position();
  viewPressed_ = view_;
  pressing_ = true, dragging_ = false;
  onMinimap_ = minimapShown_ && minimap_.area().contains(pressed_);
  if (onMinimap_) {
    dragging_ = true;
    setView(view_.centered(minimap_.toScene(pressed_), size()));
  }
  event->accept();
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
  pointer_ = event->position();
  if (!pressing_) {
    const bool over = minimapShown_ && minimap_.area().contains(pointer_);
    setHovered(frame_ && !over ? frame_->nodeAt(view_.toScene(pointer_)) : std::nullopt);
    // The card moves with the pointer.
    if (hoveredNode_ && view_.scale < 0.5) update();
    return;
  }
  if (onMinimap_) return setView(view_.centered(minimap_.toScene(pointer_), size()));
  const QPointF moved = pointer_ - pressed_;
  if (!dragging_ && std::hypot(moved.x(), moved.y()) < kDragPixels) return;
  if (!dragging_) setCursor(Qt::ClosedHandCursor);
  dragging_ = true;
  setView({viewPressed_.scale, viewPressed_.dx + moved.x(), viewPressed_.dy + moved.y()});
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (!pressing_) return QWidget::mouseReleaseEvent(event);
  pressing_ = onMinimap_ = false;
  if (std::exchange(dragging_, false)) {
    setCursor(hoveredNode_ ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
    return;
  }
  // The second release of a double click, after the view has moved away under it.
  if (std::exchange(doubleClicked_, false)) return;
  if (event->button() != Qt::LeftButton || !frame_) return;
  if (const auto node = frame_->nodeAt(view_.toScene(event->position()))) {
    pickSelected(*node);
  } else if (selected_) {
    select(std::nullopt);
    emit selectionCleared();
  }
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !frame_) return;
  const auto node = frame_->nodeAt(view_.toScene(event->position()));
  if (!node) return;
  doubleClicked_ = true;
  pressing_ = true;
  const uint32_t key = frame_->graph.nodes[*node].key;
  focusNeighbourhood(key);
  emit nodeActivated(key);
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
  const QPoint degrees = event->angleDelta();
  if (event->modifiers() & Qt::ShiftModifier) {
    const int along = degrees.x() != 0 ? degrees.x() : degrees.y();
    setView({view_.scale, view_.dx + along * 0.5, view_.dy});
  } else {
    zoomAt(event->position(), std::pow(1.0016, degrees.y()));
  }
  pointer_ = event->position();
  setHovered(frame_ ? frame_->nodeAt(view_.toScene(pointer_)) : std::nullopt);
  event->accept();
}

bool GraphCanvas::event(QEvent* event) {
  if (event->type() == QEvent::NativeGesture) {
    auto* gesture = static_cast<QNativeGestureEvent*>(event);
    if (gesture->gestureType() == Qt::ZoomNativeGesture) {
      zoomAt(gesture->position(), 1 + gesture->value());
      return true;
    }
  }
  return QWidget::event(event);
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Escape:
      if (focusKeys_.empty() && !selected_) return QWidget::keyPressEvent(event);
      return widen();
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoomIn();
    case Qt::Key_Minus:
      return zoomOut();
    default:
      QWidget::keyPressEvent(event);
  }
}

void GraphCanvas::leaveEvent(QEvent* event) {
  setHovered(std::nullopt);
  QWidget::leaveEvent(event);
}

}  // namespace rangescope::viewer
