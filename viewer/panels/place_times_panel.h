#pragma once
// The time of the last run by line of the script, or by layer or method.

#include <QWidget>
#include <memory>

#include "engine/trace/time_by_place.h"

class QLabel;
class QTabBar;
class QTableWidget;

namespace rangescope::viewer {

class PlaceTimesPanel : public QWidget {
  Q_OBJECT

 public:
  explicit PlaceTimesPanel(QWidget* parent = nullptr);
  // Null: they are not known yet.
  void showTimes(std::shared_ptr<const trace::TimeByPlace> times);
  void setMessage(const QString& text);
  // Selects the row that the kernel is part of, without saying so.
  void select(qlonglong item);
  QTableWidget& rows() { return *rows_; }
  QTabBar& tabs() { return *tabs_; }
  QLabel& said() { return *said_; }

 signals:
  void itemChosen(qlonglong item);  // the longest of the row's kernels
  void itemActivated(qlonglong item);
  void left();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fill();
  const std::vector<trace::PlaceTime>& shown() const;
  qlonglong itemOf(int row) const;

  std::shared_ptr<const trace::TimeByPlace> times_;
  QTabBar* tabs_;
  QTableWidget* rows_;
  QLabel* said_;
  qlonglong item_ = 0;
  bool showing_ = false;  // the selection follows the window, not the user
};

}  // namespace rangescope::viewer
