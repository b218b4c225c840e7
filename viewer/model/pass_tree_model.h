#pragma once
// The passes of a trace as a tree: sections, passes, nested passes. internalId holds the pass's number (0: a section),
// so that an index costs nothing.

#include <QAbstractItemModel>
#include <vector>

#include "engine/trace/reader.h"

namespace rangescope::viewer {

class PassTreeModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Role { PassIdRole = Qt::UserRole, MatchesRole, NanosecondsRole };
  enum Column { NameColumn, MatchesColumn, ColumnCount };

  explicit PassTreeModel(QObject* parent = nullptr);

  // Replaces everything; the vectors are copies, the model needs no reader.
  void setTrace(std::vector<trace::Section> sections, std::vector<trace::Pass> passes);
  // The same trace, grown: what is there stays expanded and selected.
  void extend(std::vector<trace::Section> sections, std::vector<trace::Pass> passes);
  void setHideEmpty(bool hide);  // passes without matches, unless one below has some

  QModelIndex indexOf(int64_t pass) const;
  // The pass before or after in the order of the tree that has graphs; 0 at the end.
  int64_t neighbour(int64_t pass, int step) const;
  int64_t firstPass() const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Item {
    int64_t parent = 0;  // pass number; 0: in the section
    int row = 0;
    std::vector<int64_t> children;
    int64_t matchesBelow = 0;
  };
  void rebuild();
  void append(const trace::Pass& pass);
  const std::vector<int64_t>& childrenOf(const QModelIndex& parent) const;

  std::vector<trace::Section> sections_;
  std::vector<trace::Pass> passes_;
  std::vector<Item> items_;                          // by pass number
  std::vector<std::vector<int64_t>> sectionPasses_;  // by section
  bool hideEmpty_ = false;
};

}  // namespace rangescope::viewer
