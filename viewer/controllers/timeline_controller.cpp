#include "viewer/controllers/timeline_controller.h"

#include <utility>

#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

TimelineController::TimelineController(QObject* parent) : QObject(parent) {}

void TimelineController::load(const QString& path) {
  running_ = true;
  background_.request("load", this, [this, path](const std::stop_token& stop) -> Background::Answer {
    const auto fail = [this](const std::string& message) -> Background::Answer {
      return [this, text = qtText(message)] {
        running_ = false;
        emit failed(text);
      };
    };
    const auto reader = trace::Reader::open(path.toStdString());
    if (!reader) return fail(reader.error().message);
    auto timeline = dispatchTimeline(**reader, stop);
    if (!timeline) return fail(timeline.error().message);
    return [this, t = std::make_shared<const DispatchTimeline>(std::move(*timeline))] {
      running_ = false;
      emit loaded(t);
    };
  });
}

void TimelineController::cancel() {
  background_.cancel("load");
  if (std::exchange(running_, false)) emit failed(tr("Stopped."));
}

}  // namespace rangescope::viewer
