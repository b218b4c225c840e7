#pragma once
// A row for every buffer over the items of the schedule, from its first use to its last, below the memory that is
// alive.

#include <QScrollArea>
#include <QWidget>
#include <memory>

#include "viewer/canvas/theme.h"
#include "viewer/model/buffer_plot.h"

class QLabel;

namespace rangescope::viewer {

class BufferView : public QWidget {
  Q_OBJECT

 public:
  explicit BufferView(QWidget* parent = nullptr);
  void setPlot(std::shared_ptr<const BufferPlot> plot);
  void setTheme(const CanvasTheme& theme);
  void select(qlonglong item);  // without saying so
  qlonglong selected() const { return selected_; }
  QRectF barOf(size_t buffer) const;
  QRectF columnOf(size_t position) const;

 signals:
  void itemChosen(qlonglong item);  // the first that uses the buffer, or the one of a column of the plot
  void itemActivated(qlonglong item);
  void left();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  double itemWidth() const;
  double x(size_t position) const;
  size_t positionAt(double place) const;
  int bufferAt(QPointF at) const;
  void choose(size_t position);
  void paintMemory(QPainter& p) const;
  QString describe(QPointF at) const;

  std::shared_ptr<const BufferPlot> plot_;
  CanvasTheme theme_ = CanvasTheme::light();
  qlonglong selected_ = 0;
};

class BufferPanel : public QWidget {
  Q_OBJECT

 public:
  explicit BufferPanel(QWidget* parent = nullptr);
  void setPlot(std::shared_ptr<const BufferPlot> plot);
  void setMessage(const QString& text);
  BufferView& view() { return *view_; }
  QLabel& said() { return *said_; }

 private:
  QLabel* said_;
  QScrollArea* scroll_;
  BufferView* view_;
};

}  // namespace rangescope::viewer
