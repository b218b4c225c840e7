#pragma once
// What the measurements of the window have in common.

#include <QElapsedTimer>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace rangescope::viewer {

// Something measured: the bar it is held against, and in what.
struct Measured {
  std::string what;
  double value = 0;
  double bar = 0;
  const char* unit = "ms";
};

// What was measured, the bar it is held against, and whether it is below.
void report(const Measured& measured);
inline void report(const std::string& what, double value, double bar) {
  report({what, value, bar});
}

using Times = std::vector<double>;
double quantile(Times t, double q);

// Milliseconds of processor time of this thread: others may be using the machine.
double cpuMs();

// Of the clock, since it was started.
inline double clockMs(const QElapsedTimer& clock) {
  return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

template <class Done>
void wait(Done done) {
  if (QTest::qWaitFor(done, 60000)) return;
  std::fputs("a minute went by and nothing came\n", stderr);
  std::exit(1);
}

// The longest time for which the thread of the window did not come to look at its events.
class Watchdog {
 public:
  Watchdog() {
    timer_.setInterval(1);
    QObject::connect(&timer_, &QTimer::timeout, [this] {
      const double ms = clockMs(clock_), cpu = cpuMs();
      longest_ = std::max(longest_, ms), work_ = std::max(work_, cpu - cpu_);
      cpu_ = cpu;
      clock_.restart();
    });
    clock_.start();
    cpu_ = cpuMs();
    timer_.start();
  }
  double longest() const { return longest_; }
  double work() const { return work_; }  // most of its own at a stretch: where others use the machine it waits besides

 private:
  QTimer timer_;
  QElapsedTimer clock_;
  double longest_ = 0, work_ = 0, cpu_ = 0;
};

}  // namespace rangescope::viewer
