#pragma once
// Panels beside the graph: how one becomes a dock, how it is brought up, and how its actions get into the menus.

#include <QDockWidget>
#include <QKeySequence>
#include <QList>
#include <QMainWindow>
#include <QString>
#include <functional>

namespace rangescope::viewer {

// Puts an action into the menu that the window has chosen for it.
using AddAction = std::function<void(const QString& text, const QList<QKeySequence>& keys, std::function<void()> does)>;

// A hidden one that shares the place of `beside`.
QDockWidget* tabDock(QMainWindow& window, const QString& title, const char* name, QWidget* content,
                     QDockWidget* beside);

// In sight, and before those that share its place; the keys go to `keys`, if any.
void bringUp(QDockWidget* dock, QWidget* keys = nullptr);

}  // namespace rangescope::viewer
