#pragma once
// Rows that lead somewhere in the trace: hits of a search, a path of rewrites, firings, pathologies.

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

#include "viewer/model/step_scene.h"

namespace rangescope::viewer {

struct JumpRow {
  QStringList cells;
  StepAddress place;  // pass 0: nowhere
  int64_t node = 0;   // to be selected there; number in the trace
  int64_t item = 0;   // of the schedule: its node in the kernel graph
  QString query;      // a search that it leads to
  bool leadsAnywhere() const { return place.pass != 0 || item != 0 || !query.isEmpty(); }
};

class JumpModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  struct Column {
    QString title;
    bool number = false;  // stands at the right
  };

  explicit JumpModel(QObject* parent = nullptr);
  void reset(std::vector<Column> columns, std::vector<JumpRow> rows = {});
  void append(std::vector<JumpRow> rows);
  const JumpRow& row(int i) const { return rows_[static_cast<size_t>(i)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<Column> columns_;
  std::vector<JumpRow> rows_;
};

}  // namespace rangescope::viewer
