#pragma once
// Under the canvas: play, step, scrub, speed, and one glance at where one is: which match of how many, which rule.

#include <QWidget>
#include <utility>
#include <vector>

#include "viewer/controllers/navigator.h"

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace rangescope::viewer {

class TimelineBar : public QWidget {
  Q_OBJECT

 public:
  enum class Sign : uint8_t { First, Back, Play, Pause, Forward, Last };

  explicit TimelineBar(Navigator& navigator, QWidget* parent = nullptr);
  void setRule(const QString& name);
  QSlider& slider() { return *slider_; }
  bool scrubbing() const;
  // What the times of a kernel graph are shown as: a choice that is there where there are times.
  void showMeasures(bool shown);
  void setMeasure(int index);
  // All of it side by side. The bar gets by with less: then only the steps and where one is are there.
  int wholeWidth() const;
  QSize minimumSizeHint() const override;

 signals:
  void measureChosen(int index);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  void elideRule();
  void arrange();
  int roomFor(size_t count) const;  // for so many of byImportance_
  void drawIcons();
  Navigator& navigator_;
  QToolButton* play_;
  QSlider* slider_;
  QLabel* where_;
  QLabel* rule_;
  QComboBox* measure_;
  std::vector<std::pair<QToolButton*, Sign>> icons_;
  std::vector<QWidget*> byImportance_;
  bool refreshing_ = false, measures_ = false;
};

}  // namespace rangescope::viewer
