#pragma once
// A bar above the graph that says what went wrong and where, with links to it. Stays until it is closed or another
// trace is opened.

#include <QFrame>

#include "viewer/model/failure.h"

class QLabel;

namespace rangescope::viewer {

class MessageBar : public QFrame {
  Q_OBJECT

 public:
  explicit MessageBar(QWidget* parent = nullptr);
  void showFailure(const Failure& failure);
  void setDark(bool dark);
  QLabel& text() { return *text_; }

 signals:
  void goTo(const rangescope::viewer::StepAddress& address, qlonglong node);

 private:
  void render();
  QLabel* text_;
  Failure failure_;
  bool dark_ = false;
};

}  // namespace rangescope::viewer
