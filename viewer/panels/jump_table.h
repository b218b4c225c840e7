#pragma once
// A table whose rows lead somewhere: the row that is clicked or reached with the arrow keys is chosen; Return or a
// double click also hands the keys back to the graph.

#include <QTableView>

#include "viewer/model/jump_model.h"

namespace rangescope::viewer {

class JumpTable : public QTableView {
  Q_OBJECT

 public:
  explicit JumpTable(JumpModel* model, QWidget* parent = nullptr);
  // Widths of the columns in characters; the last one takes what is left.
  void setWidths(const QList<int>& characters);

 signals:
  void rowChosen(const rangescope::viewer::JumpRow& row);
  void rowActivated();

 protected:
  bool event(QEvent* event) override;

 private:
  JumpModel* model_;
};

}  // namespace rangescope::viewer
