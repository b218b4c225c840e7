#include "viewer/panels/rows_look.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTabBar>
#include <QTableWidget>

namespace rangescope::viewer {

void styleRows(QTableView& table) {
  table.setSelectionMode(QAbstractItemView::SingleSelection);
  table.setAlternatingRowColors(true);
  table.setShowGrid(false);
  table.verticalHeader()->hide();
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 6);
  table.horizontalHeader()->setStretchLastSection(true);
}

void styleAnswers(QTableView& table) {
  styleRows(table);
  table.setWordWrap(false);
  table.setTabKeyNavigation(false);
  table.setFrameShape(QFrame::NoFrame);
  table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table.horizontalHeader()->setHighlightSections(false);
}

void styleAnswers(QTableWidget& table, const QStringList& labels) {
  styleAnswers(table);
  table.setHorizontalHeaderLabels(labels);
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setEditTriggers(QAbstractItemView::NoEditTriggers);
}

void stretchColumn(QTableView& table, int column) {
  QHeaderView& header = *table.horizontalHeader();
  header.setStretchLastSection(false);
  for (int c = 0; c < header.count(); ++c)
    header.setSectionResizeMode(c, c == column ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
}

QHBoxLayout* tabRow(QTabBar& tabs, QLabel& said) {
  tabs.setDrawBase(false);
  tabs.setExpanding(false);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(4, 4, 8, 0);
  row->addWidget(&tabs);
  row->addStretch(1);
  row->addWidget(&said);
  return row;
}

bool walksRows(int key) {
  switch (key) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return true;
    default:
      return false;
  }
}

}  // namespace rangescope::viewer
