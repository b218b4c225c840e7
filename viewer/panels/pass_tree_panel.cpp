#include "viewer/panels/pass_tree_panel.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

namespace rangescope::viewer {

PassTreePanel::PassTreePanel(PassTreeModel& model, QWidget* parent)
    : QWidget(parent),
      model_(model),
      proxy_(new QSortFilterProxyModel(this)),
      filter_(new QLineEdit(this)),
      tree_(new QTreeView(this)) {
  setMinimumWidth(200);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  filter_->setPlaceholderText(tr("Filter passes by name"));
  filter_->setClearButtonEnabled(true);
  filter_->setObjectName(QStringLiteral("passFilter"));
  layout->addWidget(filter_);
  auto* hide = new QCheckBox(tr("Only passes with matches"), this);
  layout->addWidget(hide);
  layout->addWidget(tree_);

  proxy_->setSourceModel(&model_);
  proxy_->setRecursiveFilteringEnabled(true);
  proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  tree_->setModel(proxy_);
  tree_->setObjectName(QStringLiteral("passTree"));
  tree_->setUniformRowHeights(true);
  tree_->setAlternatingRowColors(true);
  tree_->setIndentation(14);
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setSectionResizeMode(PassTreeModel::NameColumn, QHeaderView::Stretch);
  // of one width: to measure a thousand rows whenever one is unfolded takes longer than all the rest
  tree_->header()->setSectionResizeMode(PassTreeModel::MatchesColumn, QHeaderView::Fixed);
  tree_->header()->resizeSection(
      PassTreeModel::MatchesColumn,
      std::max(tree_->header()->sectionSizeHint(PassTreeModel::MatchesColumn),
               tree_->fontMetrics().horizontalAdvance(QStringLiteral("0000000")) + 2 * tree_->indentation()));

  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    proxy_->setFilterFixedString(text);
    if (!text.isEmpty()) tree_->expandAll();
  });
  connect(hide, &QCheckBox::toggled, this, [this](bool on) {
    const qlonglong pass = tree_->currentIndex().data(PassTreeModel::PassIdRole).toLongLong();
    model_.setHideEmpty(on);
    showPass(pass);
  });
  connect(&model_, &QAbstractItemModel::modelReset, this, [this] {
    expandSchedule();
    if (pass_ != 0) showPass(pass_);
  });
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& now) {
    if (showing_) return;
    const qlonglong pass = now.data(PassTreeModel::PassIdRole).toLongLong();
    if (pass != 0) emit passChosen(pass);
  });
}

// The schedule's passes and those below its groups; of kernels, which may be hundreds, only their names.
void PassTreePanel::expandSchedule() {
  tree_->collapseAll();
  const QModelIndex schedule = proxy_->index(0, 0);
  if (!schedule.isValid()) return;
  tree_->expand(schedule);
  for (int i = 0; i < proxy_->rowCount(schedule); ++i)
    if (const QModelIndex pass = proxy_->index(i, 0, schedule); proxy_->hasChildren(pass)) tree_->expand(pass);
}

void PassTreePanel::showPass(int64_t pass) {
  pass_ = pass;
  const QModelIndex index = proxy_->mapFromSource(model_.indexOf(pass));
  if (!index.isValid()) return;
  showing_ = true;
  tree_->setCurrentIndex(index);
  tree_->scrollTo(index);
  showing_ = false;
}

}  // namespace rangescope::viewer
