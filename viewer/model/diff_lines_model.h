#pragma once
// Two graphs as text, side by side: a node a row.

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "viewer/model/diff_scene.h"

namespace rangescope::viewer {

class DiffLinesModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { SignColumn, BeforeColumn, AfterColumn, ColumnCount };

  explicit DiffLinesModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
  // `changesOnly`: what changed, with a few lines around it.
  void setLines(std::shared_ptr<const DiffLines> lines, bool changesOnly);
  void setTitles(const QString& before, const QString& after);
  void setDark(bool dark);
  // Null: a gap between two places.
  const DiffLine* line(int row) const;
  int rowOf(uint32_t key) const;  // -1: not shown

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::shared_ptr<const DiffLines> lines_;
  std::vector<int> shown_;  // indices into lines_; -1: a gap
  QString before_, after_;
  bool dark_ = false;
};

}  // namespace rangescope::viewer
