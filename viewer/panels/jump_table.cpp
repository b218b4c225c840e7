#include "viewer/panels/jump_table.h"

#include <QHeaderView>
#include <QKeyEvent>

namespace rangescope::viewer {

JumpTable::JumpTable(JumpModel* model, QWidget* parent) : QTableView(parent), model_(model) {
  setModel(model);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setAlternatingRowColors(true);
  setShowGrid(false);
  setWordWrap(false);
  setTabKeyNavigation(false);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setHighlightSections(false);
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
    switch (key->key()) {
      case Qt::Key_Up:
      case Qt::Key_Down:
      case Qt::Key_Home:
      case Qt::Key_End:
      case Qt::Key_PageUp:
      case Qt::Key_PageDown:
      case Qt::Key_Return:
      case Qt::Key_Enter:
        if (key->modifiers() == Qt::NoModifier || key->modifiers() == Qt::KeypadModifier) event->accept();
        break;
      default:
        break;
    }
  }
  return QTableView::event(event);
}

}  // namespace rangescope::viewer
