#include "viewer/model/pass_tree_model.h"

#include <QFont>
#include <QGuiApplication>
#include <QPalette>
#include <algorithm>

namespace rangescope::viewer {

namespace {
// Sections have the internal ids above every pass.
constexpr quintptr kSectionBit = quintptr{1} << 62;
bool isSection(const QModelIndex& i) {
  return (i.internalId() & kSectionBit) != 0;
}
size_t sectionOf(const QModelIndex& i) {
  return static_cast<size_t>(i.internalId() & ~kSectionBit);
}
int64_t passOf(const QModelIndex& i) {
  return static_cast<int64_t>(i.internalId());
}
}  // namespace

PassTreeModel::PassTreeModel(QObject* parent) : QAbstractItemModel(parent) {}

void PassTreeModel::setTrace(std::vector<trace::Section> sections, std::vector<trace::Pass> passes) {
  beginResetModel();
  sections_ = std::move(sections);
  passes_ = std::move(passes);
  rebuild();
  endResetModel();
}

// A pass at the end, and its matches with everything around it.
void PassTreeModel::append(const trace::Pass& pass) {
  const QModelIndex parent =
      pass.parent > 0 ? indexOf(pass.parent) : index(static_cast<int>(sections_.size()) - 1, 0, {});
  const auto siblings = [&]() -> std::vector<int64_t>& {
    return pass.parent > 0 ? items_[static_cast<size_t>(pass.parent)].children : sectionPasses_[sections_.size() - 1];
  };
  const int row = static_cast<int>(siblings().size());
  beginInsertRows(parent, row, row);
  passes_.push_back(pass);
  items_.emplace_back();  // which moves the others
  items_.back().parent = pass.parent;
  items_.back().row = row;
  siblings().push_back(pass.id);
  endInsertRows();
}

void PassTreeModel::extend(std::vector<trace::Section> sections, std::vector<trace::Pass> passes) {
  const bool simple = !hideEmpty_ && !sections_.empty() && passes.size() >= passes_.size() &&
                      sections.size() >= sections_.size() &&
                      std::all_of(passes.begin() + static_cast<std::ptrdiff_t>(passes_.size()), passes.end(),
                                  [&](const auto& p) { return p.parent > 0 || p.section >= sections_.back().id; });
  if (!simple) {
    setTrace(std::move(sections), std::move(passes));
    return;
  }
  // a kernel gets its name when its code is generated
  for (size_t i = 0; i < sections_.size(); ++i) {
    if (sections_[i].name == sections[i].name) continue;
    sections_[i] = sections[i];
    const QModelIndex at = index(static_cast<int>(i), 0);
    emit dataChanged(at, at);
  }
  const size_t before = passes_.size();
  std::vector<bool> changed(before + 1, false);
  for (size_t i = 0; i < before; ++i) {
    changed[i + 1] = passes_[i].matches != passes[i].matches || passes_[i].output != passes[i].output;
    passes_[i] = passes[i];
  }
  for (size_t i = before; i < passes.size(); ++i) {
    while (sections_.back().id < passes[i].section && sections_.size() < sections.size()) {
      const int row = static_cast<int>(sections_.size());
      beginInsertRows({}, row, row);
      sections_.push_back(sections[sections_.size()]);
      sectionPasses_.emplace_back();
      endInsertRows();
    }
    append(passes[i]);
  }
  for (Item& item : items_) item.matchesBelow = 0;
  for (size_t i = passes_.size(); i-- > 0;) {
    items_[i + 1].matchesBelow += std::max<int64_t>(passes_[i].matches, 0);
    if (passes_[i].parent > 0) {
      items_[static_cast<size_t>(passes_[i].parent)].matchesBelow += items_[i + 1].matchesBelow;
      if (passes_[i].parent <= static_cast<int64_t>(before) && (i >= before || changed[i + 1]))
        changed[static_cast<size_t>(passes_[i].parent)] = true;
    }
  }
  for (size_t i = 1; i <= before; ++i)
    if (changed[i]) {
      const QModelIndex at = indexOf(static_cast<int64_t>(i));
      emit dataChanged(at, at.siblingAtColumn(ColumnCount - 1));
    }
}

void PassTreeModel::setHideEmpty(bool hide) {
  if (hide == hideEmpty_) return;
  beginResetModel();
  hideEmpty_ = hide;
  rebuild();
  endResetModel();
}

void PassTreeModel::rebuild() {
  items_.assign(passes_.size() + 1, {});
  sectionPasses_.assign(sections_.size(), {});
  // children stand behind their parents, so counting from the back sums up
  for (size_t i = passes_.size(); i-- > 0;) {
    Item& item = items_[i + 1];
    item.matchesBelow += std::max<int64_t>(passes_[i].matches, 0);
    if (passes_[i].parent > 0) items_[static_cast<size_t>(passes_[i].parent)].matchesBelow += item.matchesBelow;
  }
  for (size_t i = 0; i < passes_.size(); ++i) {
    const trace::Pass& p = passes_[i];
    Item& item = items_[i + 1];
    item.row = -1;
    if (hideEmpty_ && item.matchesBelow == 0) continue;
    item.parent = p.parent;
    std::vector<int64_t>* siblings = nullptr;
    if (p.parent > 0) {
      siblings = &items_[static_cast<size_t>(p.parent)].children;
    } else {
      const auto s = std::ranges::find(sections_, p.section, &trace::Section::id);
      if (s == sections_.end()) continue;
      siblings = &sectionPasses_[static_cast<size_t>(s - sections_.begin())];
    }
    item.row = static_cast<int>(siblings->size());
    siblings->push_back(p.id);
  }
}

const std::vector<int64_t>& PassTreeModel::childrenOf(const QModelIndex& parent) const {
  if (isSection(parent)) return sectionPasses_[sectionOf(parent)];
  return items_[static_cast<size_t>(passOf(parent))].children;
}

QModelIndex PassTreeModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  if (!parent.isValid()) return createIndex(row, column, kSectionBit | static_cast<quintptr>(row));
  return createIndex(row, column, static_cast<quintptr>(childrenOf(parent)[static_cast<size_t>(row)]));
}

QModelIndex PassTreeModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || isSection(child)) return {};
  const int64_t id = passOf(child);
  const int64_t up = items_[static_cast<size_t>(id)].parent;
  if (up > 0) return createIndex(items_[static_cast<size_t>(up)].row, 0, static_cast<quintptr>(up));
  const auto s = std::ranges::find(sections_, passes_[static_cast<size_t>(id - 1)].section, &trace::Section::id);
  if (s == sections_.end()) return {};
  const auto row = static_cast<int>(s - sections_.begin());
  return createIndex(row, 0, kSectionBit | static_cast<quintptr>(row));
}

int PassTreeModel::rowCount(const QModelIndex& parent) const {
  if (parent.column() > 0) return 0;
  if (!parent.isValid()) return static_cast<int>(sections_.size());
  return static_cast<int>(childrenOf(parent).size());
}

int PassTreeModel::columnCount(const QModelIndex&) const {
  return ColumnCount;
}

QModelIndex PassTreeModel::indexOf(int64_t pass) const {
  if (pass < 1 || pass >= static_cast<int64_t>(items_.size()) || items_[static_cast<size_t>(pass)].row < 0) return {};
  return createIndex(items_[static_cast<size_t>(pass)].row, 0, static_cast<quintptr>(pass));
}

int64_t PassTreeModel::neighbour(int64_t pass, int step) const {
  for (int64_t p = pass + step; p >= 1 && p <= static_cast<int64_t>(passes_.size()); p += step)
    if (!passes_[static_cast<size_t>(p - 1)].group && items_[static_cast<size_t>(p)].row >= 0) return p;
  return 0;
}

int64_t PassTreeModel::firstPass() const {
  return neighbour(0, 1);
}

QVariant PassTreeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (isSection(index)) {
    const trace::Section& s = sections_[sectionOf(index)];
    if (role == Qt::DisplayRole && index.column() == NameColumn)
      return QString::fromStdString(s.kind == "schedule" ? "Schedule: " + s.name : s.name);
    if (role == Qt::FontRole) {
      QFont f;
      f.setBold(true);
      return f;
    }
    if (role == PassIdRole) return qlonglong{0};
    return {};
  }
  const trace::Pass& p = passes_[static_cast<size_t>(passOf(index) - 1)];
  const int64_t below = items_[static_cast<size_t>(p.id)].matchesBelow;
  switch (role) {
    case Qt::DisplayRole:
      if (index.column() == NameColumn) return QString::fromStdString(p.name);
      return p.group ? QString() : QString::number(p.matches);
    case Qt::TextAlignmentRole:
      return index.column() == MatchesColumn ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::ToolTipRole:
      return QStringLiteral("%1\npass %2: %3 matches, %4 with the passes below it, %5 ms%6")
          .arg(QString::fromStdString(p.name))
          .arg(p.id)
          .arg(p.matches)
          .arg(below)
          .arg(static_cast<double>(p.ns) / 1e6, 0, 'f', 3)
          .arg(p.output == 0 && !p.group ? QStringLiteral("\nit did not end") : QString());
    case Qt::ForegroundRole:  // what changed nothing stands back
      return below == 0 ? QVariant(QGuiApplication::palette().brush(QPalette::Disabled, QPalette::Text)) : QVariant();
    case PassIdRole:
      return qlonglong{p.id};
    case MatchesRole:
      return qlonglong{p.matches};
    case NanosecondsRole:
      return qlonglong{p.ns};
    default:
      return {};
  }
}

QVariant PassTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == NameColumn ? QStringLiteral("Pass") : QStringLiteral("Matches");
}

}  // namespace rangescope::viewer
