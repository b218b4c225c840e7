#pragma once
// Kernels in execution order with their times, and the source of the chosen one: to be read, or edited and run beside
// what was recorded.

#include <QSplitter>
#include <map>

#include "viewer/model/kernel_details.h"
#include "viewer/model/kernel_table_model.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace rangescope::viewer {

class KernelPanel : public QSplitter {
  Q_OBJECT

 public:
  explicit KernelPanel(QWidget* parent = nullptr);
  void setRows(std::vector<KernelRow> rows);
  void setDark(bool dark);
  QTableView& table() { return *table_; }
  // Selects the row of a schedule item without saying so.
  void showItem(qlonglong item);
  QPlainTextEdit& source() { return *source_; }

  // The kernel whose source is shown; 0: none.
  qlonglong item() const;
  QString kernelName() const;
  // The edited source; null: it is as recorded.
  QString editedSource() const;
  QString optimisations() const;  // those to be tried; empty: none are
  QString sizes() const;          // the same
  // Of a kernel that was asked for.
  void setDetails(qlonglong kernel, const KernelDetails& details);
  void setRunning(bool running);
  void say(const QString& text);

  QPushButton& edit() { return *edit_; }
  QPushButton& run() { return *run_; }
  QPushButton& stop() { return *stop_; }
  QLineEdit& opts() { return *opts_; }
  QLineEdit& sizesToTry() { return *sizes_; }
  QComboBox& kind() { return *kind_; }
  QLabel& said() { return *said_; }

 signals:
  void itemChosen(qlonglong item);     // a row became the current one
  void itemActivated(qlonglong item);  // a double click or Return on a row
  void runWanted();
  void stopWanted();
  void valuesWanted();
  void detailsWanted(qlonglong kernel);
  void left();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* buildSource();
  void showSource(int row);
  void setEditing(bool on);
  void updateButtons();
  bool isOurs() const;  // the chosen kernel is GLSL, which can be compiled and run here

  KernelTableModel* model_;
  QSortFilterProxyModel* sorted_;
  QTableView* table_;
  QPlainTextEdit* source_;
  QComboBox* kind_;
  QPushButton *edit_, *run_, *stop_, *values_;
  QLineEdit *opts_, *sizes_;
  QLabel* said_;
  class GlslHighlighter* highlighter_;
  std::map<int64_t, QString> edits_;          // by kernel
  std::map<int64_t, KernelDetails> details_;  // of those that were shown
  int row_ = -1;
  bool showing_ = false;  // the selection follows the window, not the user
  bool filling_ = false;  // the source is set, not typed
  bool running_ = false;
};

}  // namespace rangescope::viewer
