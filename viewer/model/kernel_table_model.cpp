#include "viewer/model/kernel_table_model.h"

#include <algorithm>

namespace rangescope::viewer {

namespace {

// "[2,8,1]" as "2x8": dimensions of 1 at the end say nothing.
std::string sizeText(const std::string& json) {
  std::string s;
  for (const char c : json)
    if (c == ',')
      s += 'x';
    else if (c >= '0' && c <= '9')
      s += c;
  while (s.ends_with("x1")) s.resize(s.size() - 2);
  return s;
}

}  // namespace

Result<std::vector<KernelRow>> kernelRows(trace::Reader& reader, const std::vector<trace::ItemTimes>& times) {
  const auto kernels = reader.kernels();
  if (!kernels) return tl::unexpected(kernels.error());
  const auto schedule = reader.schedule();
  if (!schedule) return tl::unexpected(schedule.error());
  double total = 0;
  for (const trace::ItemTimes& t : times) total += static_cast<double>(t.times.median);
  std::vector<KernelRow> rows;
  for (const trace::ScheduleItem& item : *schedule) {
    KernelRow row;
    row.item = item.id;
    row.kernel = item.kernel;
    row.ast = item.ast;
    row.name = item.kind;
    const auto k = std::ranges::find(*kernels, item.kernel, &trace::Kernel::id);
    if (k != kernels->end()) {
      row.name = k->name;
      row.source = k->source;
      row.disassembly = k->disassembly;
      row.launch = sizeText(k->global_size) + " of " + sizeText(k->local_size);
    }
    const auto t = std::ranges::find(times, item.id, &trace::ItemTimes::item);
    if (t != times.end() && t->times.median > 0) {
      const auto us = [](int64_t ns) { return static_cast<double>(ns) / 1e3; };
      row.medianUs = us(t->times.median);
      row.p95Us = us(t->times.p95);
      if (t->times.n > 1) row.spreadUs = us(t->times.spread);
      row.share = total > 0 ? static_cast<double>(t->times.median) / total : -1;
      row.gflops = trace::rate(t->ops, t->times.median).value_or(-1);
      row.gbs = trace::rate(t->bytes, t->times.median).value_or(-1);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void KernelTableModel::setRows(std::vector<KernelRow> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int KernelTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int KernelTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant KernelTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const KernelRow& r = rows_[static_cast<size_t>(index.row())];
  const auto number = [&](double v, int digits, const char* suffix = "") -> QVariant {
    if (role == SortRole) return v;
    if (role == Qt::DisplayRole)
      return v < 0 ? QStringLiteral("–") : QString::number(v, 'f', digits) + QLatin1String(suffix);
    return {};
  };
  if (role == Qt::TextAlignmentRole)
    return index.column() == NameColumn || index.column() == LaunchColumn ? QVariant()
                                                                          : QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != SortRole) return {};
  switch (index.column()) {
    case OrderColumn:
      return qlonglong{r.item};
    case NameColumn:
      return QString::fromStdString(r.name);
    case MedianColumn:
      return number(r.medianUs, 2);
    case P95Column:
      return number(r.p95Us, 2);
    case SpreadColumn:
      return number(r.spreadUs, 2);
    case ShareColumn:
      return number(r.share < 0 ? -1 : 100 * r.share, 1, " %");
    case GflopsColumn:
      return number(r.gflops, 2);
    case BandwidthColumn:
      return number(r.gbs, 2);
    case LaunchColumn:
      return QString::fromStdString(r.launch);
    default:
      return {};
  }
}

QVariant KernelTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  static const char* const names[] = {"#",     "Kernel",  "Median µs", "p95 µs",    "Spread µs",
                                      "Share", "GFLOP/s", "GB/s",      "Workgroups"};
  return section >= 0 && section < ColumnCount ? QString::fromUtf8(names[section]) : QVariant();
}

}  // namespace rangescope::viewer
