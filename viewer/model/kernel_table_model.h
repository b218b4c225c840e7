#pragma once
// Kernels in execution order with their times, for the kernel panel.

#include <QAbstractTableModel>
#include <vector>

#include "engine/trace/reader.h"
#include "engine/trace/times.h"

namespace rangescope::viewer {

struct KernelRow {
  int64_t item = 0, kernel = 0, ast = 0;
  std::string name, source, disassembly, launch;
  double medianUs = -1, p95Us = -1, spreadUs = -1, share = -1, gflops = -1, gbs = -1;  // below 0: not known
};

// Joins kernels, schedule and the times of the last run. On the reader's thread.
Result<std::vector<KernelRow>> kernelRows(trace::Reader& reader, const std::vector<trace::ItemTimes>& times);

class KernelTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    OrderColumn,
    NameColumn,
    MedianColumn,
    P95Column,
    SpreadColumn,
    ShareColumn,
    GflopsColumn,
    BandwidthColumn,
    LaunchColumn,
    ColumnCount
  };
  enum Role { SortRole = Qt::UserRole };

  explicit KernelTableModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
  void setRows(std::vector<KernelRow> rows);
  const KernelRow& row(int i) const { return rows_[static_cast<size_t>(i)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<KernelRow> rows_;
};

}  // namespace rangescope::viewer
