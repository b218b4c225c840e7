#pragma once
// How tables look and which keys are theirs, the same in every panel.

#include <QTableView>

namespace rangescope::viewer {

// Striped rows without a grid, one cell chosen at a time.
void styleRows(QTableView& table);
// The same for a list of answers: a line each, no frame, and Tab leaves it.
void styleAnswers(QTableView& table);

// Keys that walk rows, or open one.
bool walksRows(int key);

}  // namespace rangescope::viewer
