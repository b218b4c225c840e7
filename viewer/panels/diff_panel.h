#pragma once
// Two graphs as text side by side, what changed between them in numbers, and, of two traces, where they part.

#include <QWidget>

#include "viewer/controllers/diff_controller.h"
#include "viewer/model/diff_lines_model.h"

class QCheckBox;
class QLabel;
class QPushButton;
class QSplitter;
class QTableView;
class QTableWidget;

namespace rangescope::viewer {

class DiffPanel : public QWidget {
  Q_OBJECT

 public:
  explicit DiffPanel(QWidget* parent = nullptr);

  void showMessage(const QString& message);
  // `before`, `after`: what the two graphs are.
  void showDiff(const DiffText& diff, const QString& before, const QString& after);
  void showParts(const std::vector<DiffRow>& rows);
  void clear();
  void setMarked(const QString& where);
  void setOn(bool on);
  void selectNode(quint32 key);
  void setDark(bool dark);

  QTableView& lines() { return *lines_; }
  QTableWidget& parts() { return *parts_; }
  QLabel& said() { return *said_; }
  QCheckBox& changesOnly() { return *changesOnly_; }
  QPushButton& onButton() { return *on_; }
  QPushButton& markButton() { return *mark_; }

 signals:
  void markWanted();
  void toggled(bool on);
  void nodeChosen(quint32 key);
  void partChosen(int row);
  void left();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fill();

  DiffLinesModel* model_;
  QPushButton *mark_, *on_;
  QCheckBox* changesOnly_;
  QLabel *marked_, *said_;
  QSplitter* split_;
  QTableWidget* parts_;
  QTableView* lines_;
  std::shared_ptr<const DiffLines> shown_;
  bool showing_ = false;  // the selection follows the graph, not the user
};

}  // namespace rangescope::viewer
