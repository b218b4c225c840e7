#pragma once
// The answer to a query as a table. Columns that name passes, matches, nodes or schedule items lead there.

#include <QAbstractTableModel>
#include <vector>

#include "engine/trace/query.h"

namespace rangescope::viewer {

class ResultModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  // What a column's cells are numbers of, by its name: resources/docs/search.md lists the names.
  enum class Link : uint8_t { None, Pass, Match, Node, Item };
  struct Target {
    Link link = Link::None;
    qlonglong number = 0;
    qlonglong step = 0;  // of a pass, where the row names one
  };

  explicit ResultModel(QObject* parent = nullptr);
  void setResult(trace::QueryResult result);
  bool isNumeric(int column) const { return numeric_[static_cast<size_t>(column)]; }
  // Where a cell leads, or else where its row does: a match, a pass, a node, an item of the schedule.
  Target target(const QModelIndex& cell) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  qlonglong number(int row, int column) const;  // 0: none
  trace::QueryResult result_;
  std::vector<Link> links_;
  std::vector<bool> numeric_;
  int stepColumn_ = -1;
};

}  // namespace rangescope::viewer
