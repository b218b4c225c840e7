#pragma once
// Where the open trace and another one part: what engine/trace/diff.h finds, on a thread and with readers of its own.

#include <QObject>
#include <memory>
#include <vector>

#include "viewer/controllers/background.h"
#include "viewer/controllers/trace_session.h"

namespace rangescope::viewer {

// One part of the two traces (a schedule, the code generation of a kernel) and its first difference.
struct DiffRow {
  QString part, what, inA, inB;
  bool differs = false;
  StepAddress a, b;  // where it is seen; pass 0: that side has nothing there
};

class DiffController : public QObject {
  Q_OBJECT

 public:
  explicit DiffController(QObject* parent = nullptr);
  void compare(const QString& a, const QString& b);
  // failed() follows, if it ran.
  void cancel();
  bool busy() const { return running_; }
  std::optional<RunningJob> running() const { return background_.running(); }

 signals:
  void compared(const std::vector<rangescope::viewer::DiffRow>& rows);
  void failed(const QString& message);

 private:
  bool running_ = false;
  Background background_;  // last: its thread ends before what it uses
};

}  // namespace rangescope::viewer
