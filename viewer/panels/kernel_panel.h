#pragma once
// Kernels in execution order with their times, and the GLSL of the chosen one.

#include <QSplitter>

#include "viewer/model/kernel_table_model.h"

class QLabel;
class QPlainTextEdit;
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

 signals:
  void itemChosen(qlonglong item);     // a row became the current one
  void itemActivated(qlonglong item);  // a double click or Return on a row

 private:
  void showSource(int row);
  KernelTableModel* model_;
  QSortFilterProxyModel* sorted_;
  QTableView* table_;
  QPlainTextEdit* source_;
  class GlslHighlighter* highlighter_;
  bool showing_ = false;  // the selection follows the window, not the user
};

}  // namespace rangescope::viewer
