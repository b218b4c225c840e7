#pragma once
// Search over everything: one line to type into, and what fits as a list that leads there. While the line is empty, or
// does not make sense, its language is explained in the list's place.

#include <QTimer>
#include <QWidget>

#include "viewer/controllers/search_controller.h"

class QLabel;
class QLineEdit;
class QProgressBar;
class QStackedWidget;
class QTextBrowser;
class QToolButton;

namespace rangescope::viewer {

class JumpTable;

class SearchPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SearchPanel(SearchController& search, QWidget* parent = nullptr);
  // Ready to be typed into, what stands there selected.
  void focusLine();
  void searchFor(const QString& query);
  void traceOpened();
  void themeChanged();

  QLineEdit& line() { return *line_; }
  JumpTable& table() { return *table_; }
  JumpModel& hits() { return *model_; }
  QLabel& said() { return *said_; }
  QTextBrowser& help() { return *help_; }

 signals:
  void rowChosen(const rangescope::viewer::JumpRow& row);
  void left();  // the keys go back to the graph

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void edited();
  void start();
  void showHelp(const QString& mistake);
  void clearHits();
  void say(const QString& said);
  void sayOutdated();

  SearchController& search_;
  JumpModel* model_;
  QLineEdit* line_;
  QLabel* said_;
  QToolButton* cancel_;
  QStackedWidget* stack_;
  QTextBrowser* help_;
  JumpTable* table_;
  QTimer typing_;
  QTimer slow_;  // a search that takes longer than this shows Cancel
  QString running_, mistake_;
  bool outdated_ = false;  // the trace has grown since
  bool fresh_ = false;     // the next hits begin the list
  bool goToFirst_ = false;
};

}  // namespace rangescope::viewer
