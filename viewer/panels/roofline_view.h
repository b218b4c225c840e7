#pragma once
// Kernels by how much they compute for each byte that they move and how fast they do it, under what was reached at
// best.

#include <QWidget>
#include <vector>

#include "viewer/canvas/theme.h"
#include "viewer/model/kernel_table_model.h"

namespace rangescope::viewer {

class RooflineView : public QWidget {
  Q_OBJECT

 public:
  explicit RooflineView(QWidget* parent = nullptr);
  void setKernels(const std::vector<KernelRow>& kernels);
  void setTheme(const CanvasTheme& theme);
  void select(qlonglong item);  // without saying so
  qlonglong selected() const { return selected_; }
  int points() const { return static_cast<int>(points_.size()); }
  QPointF pointOf(qlonglong item) const;  // on the widget; null: it has none

  QSize sizeHint() const override { return {420, 260}; }

 signals:
  void itemChosen(qlonglong item);
  void itemActivated(qlonglong item);
  void left();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Point {
    qlonglong item = 0;
    QString name;
    double intensity = 0, gflops = 0, gbs = 0, share = 0;
  };
  QRectF plot() const;
  QPointF place(double intensity, double gflops) const;
  int nearest(QPointF at) const;
  double radius(const Point& p) const;

  std::vector<Point> points_;
  CanvasTheme theme_ = CanvasTheme::light();
  double left_ = 0, right_ = 1, bottom_ = 0, top_ = 1;  // decades
  double bestGflops_ = 0, bestGbs_ = 0;
  qlonglong selected_ = 0;
  int hovered_ = -1;
};

}  // namespace rangescope::viewer
