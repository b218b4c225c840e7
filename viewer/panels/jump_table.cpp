#include "viewer/panels/jump_table.h"

#include <QHeaderView>
#include <QKeyEvent>

#include "viewer/panels/rows_look.h"

namespace rangescope::viewer {

JumpTable::JumpTable(JumpModel* model, QWidget* parent) : QTableView(parent), model_(model) {
  setModel(model);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  styleAnswers(*this);
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setMinimumSectionSize(24);
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (now.isValid()) emit rowChosen(model_->row(now.row()));
  });
  connect(this, &QTableView::clicked, this, [this](const QModelIndex& at) {
    if (at.isValid()) emit rowChosen(model_->row(at.row()));  // once more, for who has wandered off since
  });
  connect(this, &QTableView::activated, this, [this](const QModelIndex& at) {
    if (!at.isValid()) return;
    emit rowChosen(model_->row(at.row()));
    emit rowActivated();
  });
}

void JumpTable::setWidths(const QList<int>& characters) {
  const int one = fontMetrics().averageCharWidth();
  for (int i = 0; i < characters.size() && i < model_->columnCount(); ++i) setColumnWidth(i, characters[i] * one + 12);
}

bool JumpTable::event(QEvent* event) {
  // keys that walk the list are the list's, whatever they do elsewhere in the window
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (walksRows(key->key()) && (key->modifiers() == Qt::NoModifier || key->modifiers() == Qt::KeypadModifier))
      event->accept();
  }
  return QTableView::event(event);
}

}  // namespace rangescope::viewer
