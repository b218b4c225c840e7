#pragma once
// Dispatches as bars over time. Drag pans, the wheel zooms at the pointer down to nanoseconds, Shift and drag measures,
// a click selects the kernel. Painted by hand, a frame in time that depends on its pixels alone.

#include <QElapsedTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "viewer/canvas/theme.h"
#include "viewer/model/dispatch_timeline.h"
#include "viewer/model/kernel_table_model.h"

namespace rangescope::viewer {

class DispatchView : public QWidget {
  Q_OBJECT

 public:
  explicit DispatchView(QWidget* parent = nullptr);
  void setTimeline(std::shared_ptr<const DispatchTimeline> timeline);
  void setKernels(const std::vector<KernelRow>& kernels);
  void setMessage(const QString& message);
  void setTheme(const CanvasTheme& theme);
  void select(qlonglong item);  // 0: none; without saying so
  qlonglong selected() const { return selected_; }

  void fit();
  void zoom(double factor, double atX);
  void fitSelection();
  double nsPerPixel() const { return scale_; }
  double timeAt(double x) const { return from_ + x * scale_; }
  double xOf(double time) const { return (time - from_) / scale_; }
  // What was measured: start and end; none.
  std::optional<std::pair<double, double>> measured() const { return measure_; }
  // Where a dispatch of this lane is drawn, for tests.
  QRectF laneRect(size_t lane) const;
  double lastPaintMs() const { return paintMs_; }
  size_t lastBars() const { return bars_; }

  QSize sizeHint() const override { return {800, 200}; }

 signals:
  void itemChosen(qlonglong item);
  void itemActivated(qlonglong item);
  void said(const QString& text);  // about what is under the pointer, selected or measured
  void left();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  static constexpr double kRuler = 24;
  struct Spot {
    size_t lane, index;
  };
  void place(double from, double scale);
  std::optional<Spot> at(QPointF p) const;
  const Dispatch& dispatch(const Spot& s) const { return timeline_->lanes[s.lane].dispatches()[s.index]; }
  void paintRuler(QPainter& p);
  void paintLane(QPainter& p, const DispatchLane& lane, const QRectF& area);
  void paintMeasure(QPainter& p);
  QString about(const Dispatch& d) const;
  QString name(int32_t item) const;
  QRgb color(int32_t item) const;
  void sayMeasured();

  std::shared_ptr<const DispatchTimeline> timeline_;
  std::vector<std::string> kernels_;  // their names
  std::vector<int> kernelOf_;         // by schedule item: row of kernels_
  CanvasTheme theme_ = CanvasTheme::light();
  QString message_;
  double from_ = 0, scale_ = 1;  // time at the left, nanoseconds a pixel
  bool fitted_ = true;           // follows the size until one zooms
  int scroll_ = 0;
  qlonglong selected_ = 0;
  std::optional<Spot> hovered_;
  std::optional<std::pair<double, double>> measure_;
  QPointF pressed_;
  double fromPressed_ = 0;
  int scrollPressed_ = 0;
  enum class Drag : uint8_t { None, Maybe, Pan, Measure };
  Drag drag_ = Drag::None;
  double paintMs_ = 0;
  size_t bars_ = 0;
};

}  // namespace rangescope::viewer
