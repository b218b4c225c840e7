#pragma once
// How tables look and which keys are theirs, the same in every panel.

#include <QTableView>

class QHBoxLayout;
class QLabel;
class QTabBar;
class QTableWidget;

namespace rangescope::viewer {

// Striped rows without a grid, one cell chosen at a time.
void styleRows(QTableView& table);
// The same for a list of answers: a line each, no frame, and Tab leaves it.
void styleAnswers(QTableView& table);
// Answers that are chosen a whole line at a time, and only read.
void styleAnswers(QTableWidget& table, const QStringList& labels);
// One column takes the room that the others leave.
void stretchColumn(QTableView& table, int column);
// Tabs, and at their right what is to be said of them.
QHBoxLayout* tabRow(QTabBar& tabs, QLabel& said);

// Keys that walk rows, or open one.
bool walksRows(int key);

}  // namespace rangescope::viewer
