#include "viewer/model/jump_model.h"

#include <QGuiApplication>
#include <QPalette>

namespace rangescope::viewer {

JumpModel::JumpModel(QObject* parent) : QAbstractTableModel(parent) {}

void JumpModel::reset(std::vector<Column> columns, std::vector<JumpRow> rows) {
  beginResetModel();
  columns_ = std::move(columns);
  rows_ = std::move(rows);
  endResetModel();
}

void JumpModel::append(std::vector<JumpRow> rows) {
  if (rows.empty()) return;
  const int first = rowCount();
  beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
  rows_.insert(rows_.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  endInsertRows();
}

int JumpModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int JumpModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant JumpModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const JumpRow& r = row(index.row());
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      return index.column() < r.cells.size() ? r.cells[index.column()] : QString();
    case Qt::TextAlignmentRole:
      return columns_[static_cast<size_t>(index.column())].number ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                                                  : QVariant();
    case Qt::ForegroundRole:  // what leads nowhere stands back
      return r.leadsAnywhere() ? QVariant()
                               : QVariant(QGuiApplication::palette().brush(QPalette::Disabled, QPalette::Text));
    default:
      return {};
  }
}

QVariant JumpModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const Column& c = columns_[static_cast<size_t>(section)];
  if (role == Qt::DisplayRole) return c.title;
  if (role == Qt::TextAlignmentRole) return QVariant((c.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

}  // namespace rangescope::viewer
