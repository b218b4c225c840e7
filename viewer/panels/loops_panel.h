#pragma once
// The loop nest of the graph on show, as pseudo-code. A line is selected with the node that it is about, and the other
// way round.

#include <QListWidget>

#include "viewer/model/loop_nest.h"

namespace rangescope::viewer {

class LoopsPanel : public QListWidget {
  Q_OBJECT

 public:
  explicit LoopsPanel(QWidget* parent = nullptr);
  void showLoops(const LoopNest& nest);
  void showMessage(const QString& message);
  void selectNode(quint32 key);  // without saying so

 signals:
  void nodeChosen(quint32 key);
  void left();

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  std::vector<LoopLine> lines_;
  bool showing_ = false;
};

}  // namespace rangescope::viewer
