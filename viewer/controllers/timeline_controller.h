#pragma once
// Reads the dispatches of a trace for the timeline, on a thread and with a reader of its own.

#include <QObject>
#include <memory>

#include "viewer/controllers/background.h"
#include "viewer/model/dispatch_timeline.h"

namespace rangescope::viewer {

class TimelineController : public QObject {
  Q_OBJECT

 public:
  explicit TimelineController(QObject* parent = nullptr);
  void load(const QString& path);
  // failed() follows, if it ran.
  void cancel();
  bool busy() const { return running_; }
  std::optional<RunningJob> running() const { return background_.running(); }

 signals:
  void loaded(std::shared_ptr<const rangescope::viewer::DispatchTimeline> timeline);
  void failed(const QString& message);

 private:
  bool running_ = false;
  Background background_;  // last: its thread ends before what it uses
};

}  // namespace rangescope::viewer
