#pragma once
// Under the canvas: play, step, scrub, speed, and one glance at where one is: which match of how many, which rule.

#include <QWidget>

#include "viewer/controllers/navigator.h"

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace rangescope::viewer {

class TimelineBar : public QWidget {
  Q_OBJECT

 public:
  explicit TimelineBar(Navigator& navigator, QWidget* parent = nullptr);
  void setRule(const QString& name);
  QSlider& slider() { return *slider_; }
  bool scrubbing() const;
  // What the times of a kernel graph are shown as: a choice that is there where there are times.
  void showMeasures(bool shown);
  void setMeasure(int index);

 signals:
  void measureChosen(int index);

 private:
  void refresh();
  Navigator& navigator_;
  QToolButton* play_;
  QSlider* slider_;
  QLabel* where_;
  QLabel* rule_;
  QComboBox* measure_;
  bool refreshing_ = false;
};

}  // namespace rangescope::viewer
