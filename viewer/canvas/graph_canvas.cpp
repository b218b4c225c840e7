#include "viewer/canvas/graph_canvas.h"

#include <QEasingCurve>
#include <QPaintEvent>
#include <QPainter>
#include <QStyle>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rangescope::viewer {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr double kMostScale = 4;
constexpr double kFitMost = 1.25;   // fitting a tiny graph does not blow it up
constexpr double kReading = 0.85;   // reading size
constexpr double kOverview = 0.22;  // a first view smaller than this shows nothing; look closer at one place instead
constexpr double kMargin = 36;
constexpr double kMinimapRoom = 220;
constexpr double kRoomForMinimap = 640;

}  // namespace

GraphCanvas::GraphCanvas(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(160, 120);
  setAccessibleName(tr("Graph"));
  reducedMotion_ = style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) == 0;
}

GraphCanvas::~GraphCanvas() = default;

void GraphCanvas::setFrame(std::shared_ptr<const SceneFrame> frame, Transition transition) {
  finishMotion();
  const std::shared_ptr<const SceneFrame> before = std::exchange(frame_, std::move(frame));
  minimap_.reset();
  legendSpot_.reset();
  if (!frame_) {
    refreshIndices();
    update();
    return;
  }
  const bool hadView = before && viewed_ && !before->graph.nodes.empty();
  if (!hadView || transition == Transition::Show) {
    viewed_ = false;
    focusKeys_.clear(), focusViews_.clear();
    refreshIndices();
    if (pendingPlace_) {
      setPlace(*pendingPlace_);
    } else if (width() > 0 && isVisible()) {
      setView(firstView(*frame_));
      viewed_ = true;
    }
    update();
    return;
  }
  ViewTransform target = view_;
  {
    // viewForNext looks at the frame that is being left.
    const std::shared_ptr<const SceneFrame> next = std::exchange(frame_, before);
    target = viewForNext(*next);
    frame_ = next;
  }
  viewFrom_ = view_;
  view_ = target;
  refreshIndices();
  emit viewChanged();
  if (transition == Transition::Glide && !reducedMotion_ && isVisible() && motionMs_ > 0) {
    motion_ = std::make_unique<Motion>(before, frame_);
    if (motion_->still() && viewFrom_ == view_) {
      motion_.reset();
    } else {
      startMotion();
    }
  }
  update();
}

// Keeps the place of what the user looks at: the selected node if it is in sight, else the survivor nearest to the
// middle. Then pans, no farther than needed, to a change that is out of sight.
ViewTransform GraphCanvas::viewForNext(const SceneFrame& next) const {
  ViewTransform view = view_;
  const QRectF screen = rect();
  const auto inSight = [&](uint32_t v) { return screen.contains(view_.toScreen(frame_->layout.nodes[v].center())); };
  std::optional<uint32_t> anchor, anchorNext;
  if (selectedNode_ && inSight(*selectedNode_)) {
    anchorNext = next.keys.find(*selected_);
    if (anchorNext) anchor = selectedNode_;
  }
  if (!anchor) {
    std::vector<uint32_t> visible;
    frame_->grid.query(frame_->layout.nodes, view_.toScene(screen), visible);
    const Point middle = view_.toScene(screen.center());
    double nearest = kInfinity;
    for (uint32_t v : visible) {
      const Point c = frame_->layout.nodes[v].center();
      const double d = std::hypot(c.x - middle.x, c.y - middle.y);
      if (d >= nearest) continue;
      const auto at = next.keys.find(frame_->graph.nodes[v].key);
      if (!at) continue;
      nearest = d, anchor = v, anchorNext = at;
    }
  }
  if (anchor) {
    const Rect &a = frame_->layout.nodes[*anchor], &b = next.layout.nodes[*anchorNext];
    view.dx -= (b.x - a.x) * view.scale;
    view.dy -= (b.y - a.y) * view.scale;
  } else if (!next.layout.bounds.intersects(view.toScene(screen))) {
    view = view.centered(next.layout.bounds.center(), size());
  }
  if (follows_ && !next.changed.empty()) view = showing(view, next.changed, next);
  return view;
}

ViewTransform GraphCanvas::showing(const ViewTransform& view, const Rect& area, const SceneFrame& frame) const {
  // what changed shall not stand under the minimap
  const double right = minimapShown_ && width() >= kRoomForMinimap ? kMinimapRoom : kMargin;
  const QRectF inner = QRectF(rect()).adjusted(kMargin, kMargin, -right, -kMargin);
  QRectF box = view.toScreen(area);
  if (box.width() > inner.width() || box.height() > inner.height()) {
    // Too large for the window at this zoom: one changed node in sight is enough, of what says most about the step:
    // what the rule made, else what it matched, else what it took away.
    const auto weight = [](NodeState state) {
      return state == NodeState::New ? 3 : state == NodeState::Match ? 2 : state == NodeState::Ghost ? 1 : 0;
    };
    int most = 1;
    for (const SceneNode& node : frame.graph.nodes) most = std::max(most, weight(node.state));
    std::optional<uint32_t> best;
    for (uint32_t v = 0; v < frame.graph.nodes.size(); v++) {
      if (weight(frame.graph.nodes[v].state) != most) continue;
      if (inner.contains(view.toScreen(frame.layout.nodes[v]))) return view;
      if (!best) best = v;
    }
    if (!best) return view;
    box = view.toScreen(frame.layout.nodes[*best]);
  }
  ViewTransform out = view;
  if (box.left() < inner.left()) out.dx += inner.left() - box.left();
  if (box.right() > inner.right()) out.dx -= std::min(box.right() - inner.right(), box.left() - inner.left());
  if (box.top() < inner.top()) out.dy += inner.top() - box.top();
  if (box.bottom() > inner.bottom()) out.dy -= std::min(box.bottom() - inner.bottom(), box.top() - inner.top());
  return out;
}

ViewTransform GraphCanvas::firstView(const SceneFrame& frame) const {
  const ViewTransform fit = ViewTransform::fitting(frame.layout.bounds, size(), kMargin, kFitMost);
  if (fit.scale >= kOverview || frame.graph.nodes.size() > 4000) return fit;
  ViewTransform close{kReading * 0.8, 0, 0};
  if (!frame.changed.empty()) return showing(close.centered(frame.changed.center(), size()), frame.changed, frame);
  // The outputs: that is where a reader starts.
  Rect outputs;
  for (uint32_t r : frame.graph.roots) outputs = outputs.united(frame.layout.nodes[r]);
  for (uint32_t v = 0; v < frame.graph.nodes.size() && frame.graph.roots.empty(); v++)
    if (frame.adjacency.userStart[v] == frame.adjacency.userStart[v + 1])
      outputs = outputs.united(frame.layout.nodes[v]);
  if (outputs.empty()) return fit;
  close = close.centered(outputs.center(), size());
  const double shift = height() / 2.0 - kMargin * 2;
  if (frame.layout.direction == Direction::SourcesAbove) close.dy += shift;
  if (frame.layout.direction == Direction::SourcesBelow) close.dy -= shift;
  if (frame.layout.direction == Direction::SourcesLeft) close.dx += width() / 2.0 - kMargin * 3;
  return close;
}

void GraphCanvas::refreshIndices() {
  hoveredNode_.reset();
  selectedNode_ = frame_ && selected_ ? frame_->keys.find(*selected_) : std::nullopt;
  applyFocus();
}

void GraphCanvas::setMessage(const QString& message) {
  message_ = message;
  update();
}

void GraphCanvas::setTheme(const CanvasTheme& theme) {
  theme_ = theme;
  minimap_.reset();
  update();
}

void GraphCanvas::setMinimapShown(bool shown) {
  minimapShown_ = shown;
  update();
}

void GraphCanvas::setLegend(std::vector<LegendEntry> entries) {
  legend_ = std::move(entries);
  legendSpot_.reset();
  update();
}

void GraphCanvas::setMarks(std::vector<NodeMark> marks) {
  marks_ = std::move(marks);
  update();
}

void GraphCanvas::setHeatShown(bool shown) {
  heat_ = shown;
  minimap_.reset();
  legendSpot_.reset();
  update();
}

// Motion

void GraphCanvas::startMotion() {
  motionClock_.start();
  motionTimer_.start(16, Qt::PreciseTimer, this);
}

double GraphCanvas::progress() const {
  if (!motionTimer_.isActive()) return 1;
  static const QEasingCurve curve(QEasingCurve::InOutCubic);
  return curve.valueForProgress(std::min(1.0, motionClock_.elapsed() / static_cast<double>(std::max(motionMs_, 1))));
}

void GraphCanvas::timerEvent(QTimerEvent* event) {
  if (event->timerId() != motionTimer_.timerId()) return QWidget::timerEvent(event);
  if (motionClock_.elapsed() >= motionMs_) return finishMotion();
  update();
}

void GraphCanvas::finishMotion() {
  motionTimer_.stop();
  if (!motion_ && viewFrom_ == view_) return;
  motion_.reset();
  viewFrom_ = view_;
  update();
}

// View

double GraphCanvas::leastScale() const {
  if (!frame_ || frame_->graph.nodes.empty()) return 0.01;
  return std::min(0.5, ViewTransform::fitting(frame_->layout.bounds, size(), kMargin, kFitMost).scale * 0.5);
}

void GraphCanvas::setView(const ViewTransform& view) {
  if (motionTimer_.isActive()) finishMotion();
  view_ = viewFrom_ = view;
  update();
  emit viewChanged();
}

void GraphCanvas::glideTo(const ViewTransform& view) {
  legendSpot_.reset();
  if (reducedMotion_ || !isVisible() || motionMs_ <= 0) return setView(view);
  const double t = progress();
  viewFrom_ = ViewTransform::between(viewFrom_, view_, t);
  motion_.reset();
  view_ = view;
  startMotion();
  update();
  emit viewChanged();
}

GraphCanvas::Place GraphCanvas::place() const {
  return {view_.scale, view_.toScene(QRectF(rect()).center())};
}

void GraphCanvas::setPlace(const Place& place) {
  if (!isVisible() || width() == 0) {
    pendingPlace_ = place;
    return;
  }
  pendingPlace_.reset();
  ViewTransform view;
  view.scale = std::clamp(std::isfinite(place.scale) ? place.scale : 1.0, 1e-4, kMostScale);
  setView(view.centered(place.center, size()));
  viewed_ = true;
}

QRectF GraphCanvas::nodeRect(uint32_t key) const {
  const auto v = frame_ ? frame_->keys.find(key) : std::nullopt;
  return v ? view_.toScreen(frame_->layout.nodes[*v]) : QRectF();
}

void GraphCanvas::fitAll() {
  if (!frame_ || frame_->graph.nodes.empty()) return;
  glideTo(ViewTransform::fitting(frame_->layout.bounds, size(), kMargin, kFitMost));
}

void GraphCanvas::fitChange() {
  if (!frame_) return;
  if (frame_->changed.empty()) return fitAll();
  glideTo(ViewTransform::fitting(frame_->changed.grown(60), size(), kMargin, 1));
}

void GraphCanvas::fitSelection() {
  if (!selectedNode_) return fitAll();
  Rect area;
  for (uint32_t v : neighbourhood(frame_->graph, *selectedNode_, 1)) area = area.united(frame_->layout.nodes[v]);
  glideTo(ViewTransform::fitting(area, size(), kMargin, 1));
}

void GraphCanvas::reveal(quint32 key) {
  const auto v = frame_ ? frame_->keys.find(key) : std::nullopt;
  if (!v) return;
  const Rect& r = frame_->layout.nodes[*v];
  const QRectF inner = QRectF(rect()).adjusted(kMargin, kMargin, -kMargin, -kMargin);
  const bool readable = view_.scale >= 0.3;
  if (readable && inner.contains(view_.toScreen(r))) return;
  ViewTransform view = view_;
  if (!readable) view.scale = kReading;
  glideTo(view.centered(r.center(), size()));
}

void GraphCanvas::zoomAt(QPointF at, double factor) {
  setView(view_.zoomed(factor, at, leastScale(), kMostScale));
}

void GraphCanvas::zoomIn() {
  glideTo(view_.zoomed(1.4, QRectF(rect()).center(), leastScale(), kMostScale));
}
void GraphCanvas::zoomOut() {
  glideTo(view_.zoomed(1 / 1.4, QRectF(rect()).center(), leastScale(), kMostScale));
}
void GraphCanvas::zoomToReadingSize() {
  const QPointF at =
      selectedNode_ ? view_.toScreen(frame_->layout.nodes[*selectedNode_].center()) : QRectF(rect()).center();
  ViewTransform view = view_.zoomed(1 / view_.scale, at, leastScale(), kMostScale);
  glideTo(view);
}

void GraphCanvas::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (!viewed_ || !event->oldSize().isValid()) return;
  // What was in the middle stays in the middle.
  view_.dx += (event->size().width() - event->oldSize().width()) / 2.0;
  view_.dy += (event->size().height() - event->oldSize().height()) / 2.0;
  viewFrom_ = view_;
  minimap_.reset();  // another corner may be free now
  legendSpot_.reset();
  emit viewChanged();
}

void GraphCanvas::paintEvent(QPaintEvent*) {
  QElapsedTimer clock;
  clock.start();
  if (!viewed_ && frame_) {
    // The first view waits for the size at which it is first seen.
    viewed_ = true;
    if (pendingPlace_) {
      const Place place = *std::exchange(pendingPlace_, std::nullopt);
      view_.scale = std::clamp(place.scale, 1e-4, kMostScale);
      view_ = viewFrom_ = view_.centered(place.center, size());
    } else {
      view_ = viewFrom_ = firstView(*frame_);
    }
  }
  QPainter painter(this);
  painter.fillRect(rect(), QColor::fromRgba(theme_.background));
  if (!frame_ || frame_->graph.nodes.empty()) {
    painter.setPen(QColor::fromRgba(theme_.mutedText));
    painter.setFont(text_.font(TextRole::HudBold));
    painter.drawText(rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap, message_);
    return;
  }
  ScenePaint scene;
  scene.frame = frame_.get();
  scene.motion = motion_.get();
  scene.progress = progress();
  scene.view = motionTimer_.isActive() ? ViewTransform::between(viewFrom_, view_, scene.progress) : view_;
  scene.viewport = size();
  scene.theme = theme_;
  scene.heat = heat_;
  scene.selected = selectedNode_;
  scene.hovered = hoveredNode_;
  scene.focus = focus_.empty() ? nullptr : &focus_;
  scene.marks = &marks_;
  scene.scratch = &scratch_;
  PainterSurface surface(painter, text_);
  counts_ = renderScene(surface, scene);
  if (minimapShown_) minimap_.paint(painter, scene, pointer_);
  const double mostHeat = heat_ ? frame_->mostHeat : 0;
  const QPointF moved = legendSpot_.moved(scene, legendArea(surface, size(), LegendPlace::Over, mostHeat, legend_),
                                          minimapShown_ ? minimap_.area() : QRectF());
  paintLegend(surface, theme_, size(), LegendPlace::Over, frame_->graph.heatScale, mostHeat, legend_, moved);
  if (hoveredNode_ && !dragging_ && scene.view.scale < 0.5)
    paintHoverCard(surface, theme_, size(), pointer_, frame_->graph.nodes[*hoveredNode_]);
  if (!message_.isEmpty()) {
    // A line about the picture ("This pass changed nothing...") stands above it.
    painter.setFont(text_.font(TextRole::Hud));
    const QFontMetricsF metrics(painter.font());
    const QString shown = metrics.elidedText(message_, Qt::ElideRight, width() - 60);
    const QRectF area((width() - metrics.horizontalAdvance(shown)) / 2 - 12, 10, metrics.horizontalAdvance(shown) + 24,
                      26);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QColor::fromRgba(theme_.hudBorder));
    painter.setBrush(QColor::fromRgba(theme_.hud));
    painter.drawRoundedRect(area, 6, 6);
    painter.setPen(QColor::fromRgba(theme_.text));
    painter.drawText(area, Qt::AlignCenter, shown);
  }
  paintMs_ = static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

}  // namespace rangescope::viewer
