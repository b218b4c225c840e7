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

 private:
  void refresh();
  Navigator& navigator_;
  QToolButton* play_;
  QSlider* slider_;
  QLabel* where_;
  QLabel* rule_;
  bool refreshing_ = false;
};

}  // namespace rangescope::viewer
