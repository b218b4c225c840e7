#pragma once
// The kernels of two traces with their times: which are faster or slower beyond the noise.

#include <QTableWidget>

#include "engine/trace/compare_times.h"

namespace rangescope::viewer {

class TimesDiffPanel : public QTableWidget {
  Q_OBJECT

 public:
  explicit TimesDiffPanel(QWidget* parent = nullptr);
  void showTimes(const trace::TimesComparison& times);
  void setDark(bool dark);

 signals:
  void itemChosen(qlonglong item);  // of the open trace
  void left();

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void fill();
  trace::TimesComparison times_;
  bool dark_ = false;
};

}  // namespace rangescope::viewer
