#include "viewer/panels/kernel_panel.h"

#include <QFontDatabase>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <algorithm>

#include "viewer/panels/glsl_highlighter.h"
#include "viewer/panels/rows_look.h"

namespace rangescope::viewer {

KernelPanel::KernelPanel(QWidget* parent)
    : QSplitter(Qt::Horizontal, parent),
      model_(new KernelTableModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      table_(new QTableView(this)),
      source_(new QPlainTextEdit(this)),
      highlighter_(new GlslHighlighter(source_->document())) {
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(KernelTableModel::SortRole);
  table_->setModel(sorted_);
  table_->setObjectName(QStringLiteral("kernels"));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSortingEnabled(true);
  table_->sortByColumn(KernelTableModel::OrderColumn, Qt::AscendingOrder);
  styleRows(*table_);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  source_->setReadOnly(true);
  source_->setObjectName(QStringLiteral("kernelSource"));
  source_->setLineWrapMode(QPlainTextEdit::NoWrap);
  source_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  source_->setPlaceholderText(tr("This trace has no kernels. Record it with --run to have them generated and timed."));
  setStretchFactor(0, 3);
  setStretchFactor(1, 2);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (!now.isValid()) return;
    const int row = sorted_->mapToSource(now).row();
    showSource(row);
    if (!showing_) emit itemChosen(model_->row(row).item);
  });
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& at) { emit itemActivated(model_->row(sorted_->mapToSource(at).row()).item); });
}

void KernelPanel::setRows(std::vector<KernelRow> rows) {
  // a column without a figure says nothing
  const auto known = [&rows](double KernelRow::*figure) {
    return std::ranges::any_of(rows, [&](const KernelRow& r) { return r.*figure >= 0; });
  };
  table_->setColumnHidden(KernelTableModel::GflopsColumn, !known(&KernelRow::gflops));
  table_->setColumnHidden(KernelTableModel::BandwidthColumn, !known(&KernelRow::gbs));
  model_->setRows(std::move(rows));
  source_->clear();
  if (model_->rowCount() > 0) showSource(0);
}

void KernelPanel::showItem(qlonglong item) {
  for (int row = 0; row < model_->rowCount(); ++row)
    if (model_->row(row).item == item) {
      showing_ = true;
      table_->setCurrentIndex(sorted_->mapFromSource(model_->index(row, KernelTableModel::OrderColumn)));
      showing_ = false;
    }
}

void KernelPanel::setDark(bool dark) {
  highlighter_->setDark(dark);
}

void KernelPanel::showSource(int row) {
  const KernelRow& r = model_->row(row);
  source_->setPlainText(r.source.empty()
                            ? tr("%1 has no source: it is not a generated kernel.").arg(QString::fromStdString(r.name))
                            : QString::fromStdString(r.source));
}

}  // namespace rangescope::viewer
