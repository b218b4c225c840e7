#include "viewer/controllers/query_controller.h"

#include <QElapsedTimer>

namespace rangescope::viewer {

struct QueryController::OnThread {
  QString path;
  std::unique_ptr<trace::Reader> reader;  // opened for the first query
};

namespace {
constexpr auto kMostTime = std::chrono::minutes(5);  // there is a Cancel
}

QueryController::QueryController(QObject* parent) : QObject(parent), onThread_(std::make_shared<OnThread>()) {}
QueryController::~QueryController() = default;

void QueryController::open(const QString& path) {
  if (running_) cancel();
  background_.request("open", this, [state = onThread_, path](const std::stop_token&) -> Background::Answer {
    state->path = path;
    state->reader.reset();
    return {};
  });
}

void QueryController::run(const QString& sql) {
  running_ = true;
  emit started();
  background_.request("query", this, [this, state = onThread_, sql](const std::stop_token& stop) -> Background::Answer {
    const auto fail = [this](const std::string& message) -> Background::Answer {
      return [this, text = QString::fromStdString(message)] {
        running_ = false;
        emit failed(text);
      };
    };
    if (state->path.isEmpty()) return fail("open a trace first (Ctrl+O): queries are about it.");
    if (!state->reader) {
      auto reader = trace::Reader::open(state->path.toStdString());
      if (!reader) return fail(reader.error().message);
      state->reader = std::move(*reader);
    }
    QElapsedTimer clock;
    clock.start();
    auto result = trace::query(*state->reader, sql.toStdString(), {.time = kMostTime, .stop = stop});
    if (!result) return fail(result.error().message);
    return
        [this, r = std::make_shared<trace::QueryResult>(std::move(*result)), ms = static_cast<int>(clock.elapsed())] {
          running_ = false;
          emit answered(r, ms);
        };
  });
}

void QueryController::cancel() {
  if (!running_) return;
  background_.cancel("query");
  running_ = false;
  emit failed(tr("Stopped."));
}

}  // namespace rangescope::viewer
