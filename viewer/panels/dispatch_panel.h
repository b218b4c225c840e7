#pragma once
// The timeline of dispatches with its buttons and a line about what is under the pointer, selected or measured.

#include <QWidget>

#include "viewer/panels/dispatch_view.h"

class QLabel;

namespace rangescope::viewer {

class DispatchPanel : public QWidget {
  Q_OBJECT

 public:
  explicit DispatchPanel(QWidget* parent = nullptr);
  void setTimeline(const std::shared_ptr<const DispatchTimeline>& timeline);
  DispatchView& view() { return *view_; }
  QLabel& said() { return *said_; }

 private:
  DispatchView* view_;
  QLabel* said_;
};

}  // namespace rangescope::viewer
