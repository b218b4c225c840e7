#pragma once
// The whole window measured: its thread must come back to its events between all that a person asks for.

#include <QApplication>
#include <string>
#include <utility>

namespace rangescope::viewer {

// Knows the event that took longest, so that a window that was away says what it did.
class BenchApplication : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override;
  std::string takeLongest() {
    longest_ = 0;
    return std::exchange(said_, {});
  }

 private:
  double longest_ = 0;
  std::string said_;
};

// Keys as a person presses them, on the whole window.
void measureWindow(BenchApplication& app, const std::string& path);

}  // namespace rangescope::viewer
