#pragma once
// The passes as a tree, with a filter by name.

#include <QWidget>

#include "viewer/model/pass_tree_model.h"

class QLineEdit;
class QSortFilterProxyModel;
class QTreeView;

namespace rangescope::viewer {

class PassTreePanel : public QWidget {
  Q_OBJECT

 public:
  explicit PassTreePanel(PassTreeModel& model, QWidget* parent = nullptr);
  void showPass(int64_t pass);
  QTreeView& tree() { return *tree_; }
  QLineEdit& filter() { return *filter_; }

 signals:
  void passChosen(qlonglong pass);

 private:
  void expandSchedule();
  PassTreeModel& model_;
  QSortFilterProxyModel* proxy_;
  QLineEdit* filter_;
  QTreeView* tree_;
  int64_t pass_ = 0;      // on show
  bool showing_ = false;  // the selection follows the window, not the user
};

}  // namespace rangescope::viewer
