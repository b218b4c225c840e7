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
  QPlainTextEdit& source() { return *source_; }

 signals:
  void kernelChosen(qlonglong ast);

 private:
  void showSource(int row);
  KernelTableModel* model_;
  QSortFilterProxyModel* sorted_;
  QTableView* table_;
  QPlainTextEdit* source_;
  class GlslHighlighter* highlighter_;
};

}  // namespace rangescope::viewer
