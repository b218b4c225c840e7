#include "viewer/model/diff_lines_model.h"

#include <QBrush>
#include <QColor>
#include <QFontDatabase>
#include <algorithm>

#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

namespace {

constexpr int kAround = 2;  // lines about a change

QString sign(NodeChange change) {
  switch (change) {
    case NodeChange::Same:
      return {};
    case NodeChange::Added:
      return QStringLiteral("+");
    case NodeChange::Removed:
      return QStringLiteral("\u2212");
    case NodeChange::Resourced:
      return QStringLiteral("\u21c4");
    case NodeChange::Retyped:
    case NodeChange::Argument:
      return QStringLiteral("~");
  }
  return {};
}

QColor ground(NodeChange change, bool dark) {
  switch (change) {
    case NodeChange::Same:
      return {};
    case NodeChange::Added:
      return dark ? QColor(0x17402a) : QColor(0xdcf3e3);
    case NodeChange::Removed:
      return dark ? QColor(0x4a2327) : QColor(0xfbe2e3);
    case NodeChange::Resourced:
      return dark ? QColor(0x3d2548) : QColor(0xf1e3f6);
    case NodeChange::Retyped:
    case NodeChange::Argument:
      return dark ? QColor(0x4a3a17) : QColor(0xfdf0d0);
  }
  return {};
}

}  // namespace

void DiffLinesModel::setLines(std::shared_ptr<const DiffLines> lines, bool changesOnly) {
  beginResetModel();
  lines_ = std::move(lines);
  shown_.clear();
  const int n = lines_ ? static_cast<int>(lines_->size()) : 0;
  int last = -1;  // shown so far, with what is around it
  for (int i = 0; i < n; ++i) {
    if (changesOnly && (*lines_)[static_cast<size_t>(i)].change == NodeChange::Same) continue;
    const int from = changesOnly ? std::max(i - kAround, last + 1) : i,
              to = changesOnly ? std::min(i + kAround, n - 1) : i;
    if (changesOnly && from > last + 1) shown_.push_back(-1);
    for (int k = from; k <= to; ++k) shown_.push_back(k);
    last = std::max(last, to);
  }
  if (changesOnly && !shown_.empty() && last + 1 < n) shown_.push_back(-1);
  endResetModel();
}

void DiffLinesModel::setTitles(const QString& before, const QString& after) {
  before_ = before, after_ = after;
  emit headerDataChanged(Qt::Horizontal, BeforeColumn, AfterColumn);
}

void DiffLinesModel::setDark(bool dark) {
  dark_ = dark;
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

const DiffLine* DiffLinesModel::line(int row) const {
  if (row < 0 || row >= static_cast<int>(shown_.size())) return nullptr;
  const int i = shown_[static_cast<size_t>(row)];
  return i < 0 ? nullptr : &(*lines_)[static_cast<size_t>(i)];
}

int DiffLinesModel::rowOf(uint32_t key) const {
  for (int row = 0; row < static_cast<int>(shown_.size()); ++row)
    if (const DiffLine* l = line(row); l != nullptr && l->key == key) return row;
  return -1;
}

int DiffLinesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}
int DiffLinesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant DiffLinesModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const DiffLine* l = line(index.row());
  if (role == Qt::FontRole) return QFontDatabase::systemFont(QFontDatabase::FixedFont);
  if (role == Qt::TextAlignmentRole && index.column() == SignColumn) return Qt::AlignCenter;
  if (l == nullptr) return role == Qt::DisplayRole ? QVariant(QStringLiteral("\u22ef")) : QVariant();
  const std::string& text = index.column() == BeforeColumn ? l->a : l->b;
  if (role == Qt::DisplayRole) return index.column() == SignColumn ? sign(l->change) : qtText(text);
  if (role == Qt::ToolTipRole && index.column() != SignColumn && !text.empty()) return qtText(text);
  if (role == Qt::BackgroundRole && l->change != NodeChange::Same && (index.column() == SignColumn || !text.empty()))
    return QBrush(ground(l->change, dark_));
  return {};
}

QVariant DiffLinesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  return section == BeforeColumn ? before_ : section == AfterColumn ? after_ : QString();
}

}  // namespace rangescope::viewer
