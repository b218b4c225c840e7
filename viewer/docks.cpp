#include "viewer/docks.h"

namespace rangescope::viewer {

QDockWidget* tabDock(QMainWindow& window, const QString& title, const char* name, QWidget* content,
                     QDockWidget* beside) {
  auto* dock = new QDockWidget(title, &window);
  dock->setObjectName(QLatin1String(name));
  dock->setWidget(content);
  window.tabifyDockWidget(beside, dock);
  dock->hide();
  return dock;
}

void bringUp(QDockWidget* dock, QWidget* keys) {
  dock->show();
  dock->raise();
  if (keys != nullptr) keys->setFocus(Qt::ShortcutFocusReason);
}

}  // namespace rangescope::viewer
