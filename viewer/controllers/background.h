#pragma once
// One thread for everything that reads the trace. Of several requests with the same tag the latest wins: one that waits
// is dropped, one that runs is asked to stop. Answers come back on the thread of the receiver.

#include <QObject>
#include <QPointer>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace rangescope::viewer {

// What takes longer than this says that it runs, and can be cancelled.
inline constexpr int kSlowMs = 200;

// What a thread is at.
struct RunningJob {
  std::string tag;
  int ms = 0;            // since it began
  double progress = -1;  // from 0 to 1; below 0: it does not say
};

class Background {
 public:
  Background();
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // `work` runs on the background thread; the function that it returns runs on the receiver's thread, if the receiver
  // still lives and no later request took its place. An empty function is no answer.
  using Answer = std::function<void()>;
  using Work = std::function<Answer(std::stop_token)>;
  void request(const std::string& tag, QObject* receiver, Work work);
  void cancel(const std::string& tag);  // as a later request would, with none in its place
  bool busy() const;
  std::optional<RunningJob> running() const;
  void setProgress(double progress) { progress_ = progress; }  // for the work that runs

 private:
  void drop(const std::string& tag);  // under the mutex
  struct Job {
    std::string tag;
    QPointer<QObject> receiver;
    Work work;
    std::stop_source stop;
  };
  void run(const std::stop_token& stop);

  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Job> queue_;
  std::string runningTag_;
  std::stop_source runningStop_;
  bool running_ = false;
  std::chrono::steady_clock::time_point started_;
  std::atomic<double> progress_ = -1;
  std::jthread thread_;
};

}  // namespace rangescope::viewer
