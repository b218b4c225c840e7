#pragma once
// SQL over the trace: queries that come with the program and the user's own, an editor, and the answer as a table whose
// cells lead into the graph.

#include <QTimer>
#include <QWidget>

#include "viewer/controllers/query_controller.h"
#include "viewer/model/result_model.h"

class QLabel;
class QListWidget;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace rangescope::viewer {

class QueryPanel : public QWidget {
  Q_OBJECT

 public:
  explicit QueryPanel(QueryController& queries, QWidget* parent = nullptr);
  void focusEditor();
  void traceOpened();
  // Under this name among the user's own, kept in the settings.
  void saveAs(const QString& name);

  QPlainTextEdit& editor() { return *editor_; }
  QListWidget& saved() { return *saved_; }
  QTableView& table() { return *table_; }
  QLabel& said() { return *said_; }
  QLabel& message() { return *message_; }

 signals:
  void chosen(const rangescope::viewer::ResultModel::Target& target);
  void left();  // the keys go back to the graph

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void run();
  void askName();
  void remove();
  void fillList();
  void setRunning(bool running);
  void showMessage(const QString& message);

  QueryController& queries_;
  ResultModel* model_;
  QListWidget* saved_;
  QPlainTextEdit* editor_;
  QPushButton *run_, *cancel_, *save_, *remove_;
  QLabel *said_, *message_;
  QStackedWidget* stack_;
  QTableView* table_;
  QTimer slow_;
};

}  // namespace rangescope::viewer
