#include "viewer/model/result_model.h"

#include <QGuiApplication>
#include <QPalette>
#include <algorithm>

namespace rangescope::viewer {

namespace {

ResultModel::Link linkOf(std::string_view column) {
  static const std::pair<std::string_view, ResultModel::Link> names[] = {
      {"pass", ResultModel::Link::Pass},     {"match", ResultModel::Link::Match},
      {"made_by", ResultModel::Link::Match}, {"undone_by", ResultModel::Link::Match},
      {"node", ResultModel::Link::Node},     {"before", ResultModel::Link::Node},
      {"after", ResultModel::Link::Node},    {"input", ResultModel::Link::Node},
      {"output", ResultModel::Link::Node},   {"root", ResultModel::Link::Node},
      {"ast", ResultModel::Link::Node},      {"sink", ResultModel::Link::Node},
      {"item", ResultModel::Link::Item}};
  for (const auto& [name, link] : names)
    if (name == column) return link;
  return ResultModel::Link::None;
}

bool isNumber(const std::string& s) {
  return !s.empty() && s.find_first_not_of("0123456789.-+e") == std::string::npos;
}

}  // namespace

ResultModel::ResultModel(QObject* parent) : QAbstractTableModel(parent) {}

void ResultModel::setResult(trace::QueryResult result) {
  beginResetModel();
  result_ = std::move(result);
  links_.clear();
  numeric_.clear();
  stepColumn_ = -1;
  for (size_t c = 0; c < result_.columns.size(); ++c) {
    links_.push_back(linkOf(result_.columns[c]));
    if (result_.columns[c] == "step") stepColumn_ = static_cast<int>(c);
    numeric_.push_back(
        std::ranges::all_of(result_.rows, [&](const auto& row) { return row[c] == "NULL" || isNumber(row[c]); }));
  }
  endResetModel();
}

qlonglong ResultModel::number(int row, int column) const {
  bool ok = false;
  const std::string& s = result_.rows[static_cast<size_t>(row)][static_cast<size_t>(column)];
  const qlonglong n = QByteArray::fromRawData(s.data(), static_cast<qsizetype>(s.size())).toLongLong(&ok);
  return ok && n > 0 ? n : 0;
}

ResultModel::Target ResultModel::target(const QModelIndex& cell) const {
  if (!cell.isValid()) return {};
  const auto at = [&](int column) -> Target {
    const Link link = links_[static_cast<size_t>(column)];
    const qlonglong n = link == Link::None ? 0 : number(cell.row(), column);
    if (n == 0) return {};
    return {link, n, link == Link::Pass && stepColumn_ >= 0 ? number(cell.row(), stepColumn_) : -1};
  };
  if (const Target t = at(cell.column()); t.link != Link::None) return t;
  for (const Link wanted : {Link::Match, Link::Pass, Link::Node, Link::Item})
    for (int c = 0; c < columnCount(); ++c)
      if (links_[static_cast<size_t>(c)] == wanted)
        if (const Target t = at(c); t.link != Link::None) return t;
  return {};
}

int ResultModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(result_.rows.size());
}

int ResultModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(result_.columns.size());
}

QVariant ResultModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto c = static_cast<size_t>(index.column());
  const std::string& s = result_.rows[static_cast<size_t>(index.row())][c];
  switch (role) {
    case Qt::DisplayRole: {
      const QString text = QString::fromStdString(s);
      const auto line = text.indexOf(QLatin1Char('\n'));
      return line < 0 ? text : text.left(line) + QStringLiteral(" ...");
    }
    case Qt::ToolTipRole:
      return s.size() < 4000 ? QString::fromStdString(s) : QVariant();
    case Qt::TextAlignmentRole:
      return numeric_[c] ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::ForegroundRole:
      if (s == "NULL") return QGuiApplication::palette().brush(QPalette::Disabled, QPalette::Text);
      return links_[c] != Link::None ? QVariant(QGuiApplication::palette().link()) : QVariant();
    default:
      return {};
  }
}

QVariant ResultModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const auto c = static_cast<size_t>(section);
  if (role == Qt::DisplayRole) return QString::fromStdString(result_.columns[c]);
  if (role == Qt::TextAlignmentRole) return QVariant((numeric_[c] ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

}  // namespace rangescope::viewer
