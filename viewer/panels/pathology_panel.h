#pragma once
// What is worth a look in the trace, four lists: expensive rules, passes without effect, growth, rewrites that undo
// others.

#include <QWidget>

#include "viewer/controllers/search_controller.h"

class QLabel;
class QStackedWidget;
class QTabBar;

namespace rangescope::viewer {

class JumpTable;

class PathologyPanel : public QWidget {
  Q_OBJECT

 public:
  explicit PathologyPanel(SearchController& search, QWidget* parent = nullptr);
  void traceOpened();
  void focusTable();
  QTabBar& tabs() { return *tabs_; }
  JumpTable& table() { return *table_; }
  JumpModel& rows() { return *model_; }
  QLabel& said() { return *said_; }

 signals:
  void rowChosen(const rangescope::viewer::JumpRow& row);
  void left();  // the keys go back to the graph

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void ask();
  void fill();
  SearchController& search_;
  std::shared_ptr<const trace::Pathologies> found_;
  bool asked_ = false, open_ = false;
  JumpModel* model_;
  QTabBar* tabs_;
  QLabel* said_;
  JumpTable* table_;
};

}  // namespace rangescope::viewer
