#pragma once
// The rewrites that made the selected node, from the program's graph down to it and on to the kernels: a path to click
// or walk through.

#include <QTextBrowser>

#include "viewer/controllers/search_controller.h"

namespace rangescope::viewer {

class ProvenancePanel : public QTextBrowser {
  Q_OBJECT

 public:
  explicit ProvenancePanel(QWidget* parent = nullptr);
  void showPath(const PathRows& path);
  void showMessage(const QString& message);
  void themeChanged();
  // The next row (or the one before) of the path becomes the current one.
  void walk(int direction);
  int current() const { return current_; }
  const PathRows& path() const { return path_; }

 signals:
  void rowChosen(const rangescope::viewer::JumpRow& row);

 protected:
  bool event(QEvent* event) override;

 private:
  void render();
  void choose(int row);
  PathRows path_;
  QString message_;
  int current_ = 0;
};

}  // namespace rangescope::viewer
