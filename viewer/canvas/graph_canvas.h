#pragma once

#include <QBasicTimer>
#include <QElapsedTimer>
#include <QWidget>
#include <memory>
#include <optional>

#include "viewer/canvas/overlay.h"
#include "viewer/canvas/scene_frame.h"
#include "viewer/canvas/scene_painter.h"

namespace rangescope::viewer {

// The graph, painted by hand. It is handed finished frames; all it does itself is look, point and move.
//
// Left drag pans, the wheel zooms at the pointer, a click selects, a double click lights a node's neighbourhood alone,
// Escape widens again. The window binds the other keys to the slots.
class GraphCanvas : public QWidget {
  Q_OBJECT

 public:
  // Glide: survivors move, the new fades in. Cut: the final state at once, the view stays (scrubbing). Show: another
  // picture; choose a view that shows it.
  enum class Transition { Glide, Cut, Show };

  // Where the user looks; kept in histories and settings. The centre is in scene units.
  struct Place {
    double scale = 1;
    Point center;
  };

  explicit GraphCanvas(QWidget* parent = nullptr);
  ~GraphCanvas() override;

  void setFrame(std::shared_ptr<const SceneFrame> frame, Transition transition = Transition::Glide);
  const std::shared_ptr<const SceneFrame>& frame() const { return frame_; }
  // What is shown instead of a graph while there is none: what to do, or what is being waited for.
  void setMessage(const QString& message);
  const QString& message() const { return message_; }

  void setTheme(const CanvasTheme& theme);
  const CanvasTheme& theme() const { return theme_; }
  bool heatShown() const { return heat_; }
  bool reducedMotion() const { return reducedMotion_; }
  void setReducedMotion(bool reduced) { reducedMotion_ = reduced; }
  void setMotionMilliseconds(int ms) { motionMs_ = ms; }
  // Whether the view pans to a step's change that is out of sight. The place of what is in sight is kept either way.
  void setFollowsChange(bool follow) { follows_ = follow; }
  void setMinimapShown(bool shown);
  bool minimapShown() const { return minimapShown_; }
  void setLegend(std::vector<LegendEntry> entries);
  void setMarks(std::vector<NodeMark> marks);
  const std::vector<NodeMark>& marks() const { return marks_; }

  std::optional<uint32_t> selected() const { return selected_; }  // key
  void select(std::optional<uint32_t> key);
  std::optional<uint32_t> hovered() const;  // key
  // The node whose neighbourhood alone is lit.
  std::optional<uint32_t> focusedNode() const;

  Place place() const;
  void setPlace(const Place& place);
  const ViewTransform& view() const { return view_; }
  bool moving() const { return motionTimer_.isActive(); }
  // Where a node is on the widget at the end of any motion; empty for an unknown key.
  QRectF nodeRect(uint32_t key) const;
  PaintCounts lastPaint() const { return counts_; }
  double lastPaintMs() const { return paintMs_; }

  QSize sizeHint() const override { return {900, 640}; }

  // Slots, for keys, menus and buttons.
  void fitAll();
  void fitChange();     // what this step matched, made and took away; everything when it changed nothing
  void fitSelection();  // the selected node and its neighbours
  void zoomIn();
  void zoomOut();
  void zoomToReadingSize();
  void setHeatShown(bool shown);
  void finishMotion();  // the next key skips what still moves
  void focusNeighbourhood(quint32 key);
  void widen();  // one Escape: the wider focus before, then no focus, then no selection
  void selectSource();
  void selectUser();
  void selectSibling(int step);
  // Pans so that the node is in sight.
  void reveal(quint32 key);

 signals:
  void nodeClicked(quint32 key);
  void nodeActivated(quint32 key);
  void nodeHovered(quint32 key, bool inside);
  void selectionCleared();
  void focusChanged(bool focused);
  void viewChanged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void timerEvent(QTimerEvent* event) override;
  bool event(QEvent* event) override;

 private:
  double leastScale() const;
  QRectF viewportForGraph() const { return rect(); }
  void setView(const ViewTransform& view);
  void glideTo(const ViewTransform& view);
  void startMotion();
  double progress() const;  // eased
  ViewTransform viewForNext(const SceneFrame& next) const;
  ViewTransform firstView(const SceneFrame& frame) const;
  ViewTransform showing(const ViewTransform& view, const Rect& area, const SceneFrame& frame) const;
  void setHovered(std::optional<uint32_t> node);
  void zoomAt(QPointF at, double factor);
  void refreshIndices();
  void applyFocus();
  void pickSelected(uint32_t node);

  std::shared_ptr<const SceneFrame> frame_;
  std::unique_ptr<Motion> motion_;
  CanvasTheme theme_ = CanvasTheme::light();
  TextCache text_;
  PaintScratch scratch_;
  Minimap minimap_;
  LegendSpot legendSpot_;
  QString message_;
  std::vector<LegendEntry> legend_;
  std::vector<NodeMark> marks_;

  ViewTransform view_;  // target while moving
  ViewTransform viewFrom_;
  bool viewed_ = false;  // a view has been chosen for a real size
  std::optional<Place> pendingPlace_;
  QBasicTimer motionTimer_;
  QElapsedTimer motionClock_;
  int motionMs_ = 250;

  std::optional<uint32_t> selected_;  // key
  std::optional<uint32_t> selectedNode_, hoveredNode_;
  std::vector<uint32_t> focusKeys_;  // innermost last
  std::vector<ViewTransform> focusViews_;
  std::vector<bool> focus_;

  QPointF pressed_, pointer_;
  ViewTransform viewPressed_;
  bool dragging_ = false, pressing_ = false, onMinimap_ = false, doubleClicked_ = false;
  bool heat_ = false, reducedMotion_ = false, follows_ = true, minimapShown_ = true;
  PaintCounts counts_;
  double paintMs_ = 0;
};

}  // namespace rangescope::viewer
