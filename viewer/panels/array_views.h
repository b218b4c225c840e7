#pragma once
// An array as a picture, and how its values are spread.

#include <QWidget>
#include <memory>

#include "viewer/canvas/theme.h"
#include "viewer/model/array_file.h"

namespace rangescope::viewer {

// One element a pixel or more, row by row; what is no number in magenta. A click says which element.
class ArrayImage : public QWidget {
  Q_OBJECT

 public:
  explicit ArrayImage(QWidget* parent = nullptr);
  void setArray(std::shared_ptr<const ArrayFile> array, const ArrayFigures& figures, int64_t width);
  void setDark(bool dark);
  QImage render(QSize size) const;

 signals:
  void elementChosen(qlonglong i);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  QRectF area(QSize size) const;
  qlonglong elementAt(QPointF at) const;  // below 0: none
  std::shared_ptr<const ArrayFile> array_;
  ArrayFigures figures_;
  int64_t width_ = 1, rows_ = 0;
  bool dark_ = false;
};

class ArrayHistogram : public QWidget {
  Q_OBJECT

 public:
  explicit ArrayHistogram(QWidget* parent = nullptr) : QWidget(parent) {}
  void setFigures(const ArrayFigures& figures);
  void setDark(bool dark);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  ArrayFigures figures_;
  bool dark_ = false;
};

}  // namespace rangescope::viewer
