#include "viewer/controllers/background.h"

#include <QCoreApplication>
#include <QEvent>
#include <utility>

namespace rangescope::viewer {

namespace {

// Held while an answer is handed over, at both ends. Qt's queue needs no such thing, but ThreadSanitizer does not see
// into it, and would call what goes through it a race.
std::mutex& handOver() {
  static std::mutex mutex;
  return mutex;
}

class Delivery : public QEvent {
 public:
  Delivery(QPointer<QObject> receiver, Background::Answer answer, std::stop_token stop)
      : QEvent(kind()), receiver_(std::move(receiver)), answer_(std::move(answer)), stop_(std::move(stop)) {}
  static Type kind() {
    static const auto type = static_cast<Type>(registerEventType());
    return type;
  }
  void deliver() const {
    if (receiver_ && !stop_.stop_requested()) answer_();
  }

 private:
  QPointer<QObject> receiver_;
  Background::Answer answer_;
  std::stop_token stop_;
};

// Where answers arrive, on the thread of the window.
class Mailbox : public QObject {
 public:
  Mailbox() { moveToThread(QCoreApplication::instance()->thread()); }
  bool event(QEvent* event) override {
    { const std::lock_guard lock(handOver()); }
    if (event->type() != Delivery::kind()) return QObject::event(event);
    static_cast<const Delivery*>(event)->deliver();
    return true;
  }
};

Mailbox& mailbox() {
  static auto* const box = new Mailbox;  // outlives the application, and whoever still writes to it
  return *box;
}

}  // namespace

Background::Background() : thread_([this](const std::stop_token& stop) { run(stop); }) {
  mailbox();
}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    queue_.clear();
    runningStop_.request_stop();
  }
  thread_.request_stop();
  wake_.notify_all();
}

void Background::request(const std::string& tag, QObject* receiver, Work work) {
  {
    const std::lock_guard lock(mutex_);
    drop(tag);
    queue_.push_back({tag, receiver, std::move(work), {}});
  }
  wake_.notify_one();
}

void Background::cancel(const std::string& tag) {
  const std::lock_guard lock(mutex_);
  drop(tag);
}

void Background::drop(const std::string& tag) {
  std::erase_if(queue_, [&](const Job& j) { return j.tag == tag; });
  if (running_ && runningTag_ == tag) runningStop_.request_stop();
}

bool Background::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || !queue_.empty();
}

std::optional<RunningJob> Background::running() const {
  const std::lock_guard lock(mutex_);
  // what was cancelled is over for everybody who looks, though it may take a moment to notice
  if (!running_ || runningStop_.stop_requested()) return std::nullopt;
  const auto since = std::chrono::steady_clock::now() - started_;
  return RunningJob{runningTag_, static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(since).count()),
                    progress_};
}

void Background::run(const std::stop_token& stop) {
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [&] { return !queue_.empty(); })) return;
      job = std::move(queue_.front());
      queue_.pop_front();
      running_ = true;
      runningTag_ = job.tag;
      runningStop_ = job.stop;
      started_ = std::chrono::steady_clock::now();
      progress_ = -1;
    }
    Answer answer = job.work(job.stop.get_token());
    {
      const std::lock_guard lock(mutex_);
      running_ = false;
      if (stop.stop_requested()) return;
      if (answer && job.receiver) {
        const std::lock_guard handing(handOver());
        QCoreApplication::postEvent(&mailbox(),
                                    new Delivery(std::move(job.receiver), std::move(answer), job.stop.get_token()));
      }
    }
  }
}

}  // namespace rangescope::viewer
