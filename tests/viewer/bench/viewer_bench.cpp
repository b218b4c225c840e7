// The window measured: opening by the clock, steps, frames and layouts by the work of the thread that does them.
// `./dev bench viewer [TRACE...]`; without a trace a synthetic
// one of a million matches and three million nodes is written first, and kept.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "engine/rewrite/driver.h"
#include "engine/trace/recorder.h"
#include "tests/viewer/canvas/scenes.h"
#include "viewer/canvas/graph_canvas.h"
#include "viewer/controllers/trace_session.h"
#include "viewer/panels/dispatch_view.h"

namespace rangescope::viewer {
namespace {

using Times = std::vector<double>;

double quantile(Times t, double q) {
  if (t.empty()) return 0;
  std::ranges::sort(t);
  return t[std::min(t.size() - 1, static_cast<size_t>(q * static_cast<double>(t.size())))];
}

// What was measured, the bar it is held against, and whether it is below.
void report(const std::string& what, double ms, double bar) {
  fmt::print("{:<64}{:>10.2f} ms   bar {:>6.0f}   {}\n", what, ms, bar, ms <= bar ? "" : "OVER");
  std::fflush(stdout);
}

template <class Done>
void wait(Done done) {
  if (QTest::qWaitFor(done, 60000)) return;
  fmt::print(stderr, "a minute went by and nothing came\n");
  std::exit(1);
}

// Of this thread's work: others may be using the machine.
double cpuMs() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

// As after a start of the machine: the system keeps nothing of the file in memory.
void forgetFile(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)::fdatasync(file);
  (void)::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  (void)::close(file);
}

double megabytes() {
  std::ifstream in("/proc/self/statm");
  long pages = 0, resident = 0;
  in >> pages >> resident;
  return static_cast<double>(resident) * 4096 / 1e6;
}

// Passes of 2,000 matches each; a match replaces a product by a sum, and brings three nodes.
void writeSynthetic(const std::string& path, int64_t matches) {
  constexpr int64_t kOfAPass = 2000;
  using namespace captures;
  static const RuleSet rules(
      "synthetic", {{"product-to-sum", "a product becomes a sum", "", var(x) * 2, [](const Match& m) { return m[x]; }},
                    {"rare", "a rule that fires now and then", "", var(x) + 0, [](const Match& m) { return m[x]; }}});
  Store store;
  auto recorder = trace::Recorder::create(path, store);
  if (!recorder) {
    fmt::print(stderr, "{}\n", recorder.error().message);
    std::exit(1);
  }
  const UOp v = store.variable("v", 0, 9);
  (*recorder)->begin_section("schedule", "synthetic", v);
  for (int64_t done = 0; done < matches; done += kOfAPass) {
    UOps before, after;
    for (int64_t k = 0; k < kOfAPass; ++k) {
      const UOp c = store.constant(1000 + done + k);
      before.push_back(store.make(Op::MUL, {v, c}));
      after.push_back(store.make(Op::ADD, {v, c}));
    }
    (*recorder)->pass_begin({.name = "pass"}, store.sink(before));
    for (size_t k = 0; k < before.size(); ++k)
      (*recorder)->rule_matched(*rules.entries()[k % 50 == 0 ? 1 : 0].rule, before[k], after[k], 100 + k % 1000);
    (*recorder)->pass_end(store.sink(after));
  }
  if (const auto finished = (*recorder)->finish(); !finished) {
    fmt::print(stderr, "{}\n", finished.error().message);
    std::exit(1);
  }
}

// The longest time for which the thread of the window did not come to look at its events.
class Watchdog {
 public:
  Watchdog() {
    timer_.setInterval(1);
    QObject::connect(&timer_, &QTimer::timeout, [this] {
      longest_ = std::max(longest_, static_cast<double>(clock_.nsecsElapsed()) / 1e6);
      clock_.restart();
    });
    clock_.start();
    timer_.start();
  }
  double longest() const { return longest_; }

 private:
  QTimer timer_;
  QElapsedTimer clock_;
  double longest_ = 0;
};

void measureTrace(const std::string& path) {
  fmt::print("{}\n", path);
  forgetFile(path);
  const Watchdog watchdog;
  QElapsedTimer clock;
  TraceSession session;
  std::shared_ptr<const StepPicture> picture;
  bool opened = false;
  QObject::connect(&session, &TraceSession::opened, [&] { opened = true; });
  QObject::connect(&session, &TraceSession::openFailed, [](const QString& message) {
    fmt::print(stderr, "{}\n", message.toStdString());
    std::exit(1);
  });
  QObject::connect(&session, &TraceSession::pictureReady, [&](const auto& p) { picture = p; });
  QObject::connect(&session, &TraceSession::pictureFailed,
                   [&](const QString& message) { fmt::print(stderr, "{}\n", message.toStdString()); });
  const auto show = [&](const StepAddress& address) {
    picture.reset();
    clock.restart();
    session.showStep(address, {}, std::nullopt, nullptr);
    wait([&] { return picture != nullptr; });
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
  };
  clock.start();
  session.open(QString::fromStdString(path));
  wait([&] { return opened; });
  const trace::Pass *first = nullptr, *largest = nullptr;
  for (const trace::Pass& p : session.summary().passes) {
    if (p.input == 0) continue;
    if (first == nullptr) first = &p;
    if (largest == nullptr || p.matches > largest->matches) largest = &p;
  }
  if (first == nullptr) return;
  const double openMs = static_cast<double>(clock.nsecsElapsed()) / 1e6;
  report(fmt::format("open, {} matches, {} nodes", session.summary().matches, session.summary().nodes), openMs, 1000);
  report("open to first picture", openMs + show({first->id, std::min<int64_t>(1, first->matches)}), 1000);
  clock.restart();
  wait([&] { return !session.busy(); });
  fmt::print("{:<64}{:>10.2f} ms\n", "rules counted behind it, slice by slice",
             static_cast<double>(clock.nsecsElapsed()) / 1e6);
  // the graph rebuilt and labelled, layout apart
  const std::string where = fmt::format(" of the largest pass ({} matches)", largest->matches);
  if (largest->matches > 0) {
    forgetFile(path);
    QElapsedTimer cold;
    cold.start();
    auto reader = trace::Reader::open(path);
    (void)stepScene(**reader, {largest->id, largest->matches}, {});
    report("opened at the last step, the file not in memory", static_cast<double>(cold.nsecsElapsed()) / 1e6, 1000);
  }
  Times steps;
  auto reader = trace::Reader::open(path);
  uint32_t random = 1;
  for (int i = 0; i < 200 && largest->matches > 0; ++i) {
    random = random * 1664525 + 1013904223;
    const double start = cpuMs();
    const auto scene = stepScene(**reader, {largest->id, static_cast<int64_t>(random >> 8) % largest->matches + 1}, {});
    if (scene) steps.push_back(cpuMs() - start);
  }
  report("a step" + where + ", median", quantile(steps, 0.5), 50);
  report("a step" + where + ", p99", quantile(steps, 0.99), 150);
  report("a step" + where + ", the first, longest", quantile(steps, 1), 150);
  fmt::print("{:<64}{:>10.0f} MB   bar {:>6}\n", "memory", megabytes(), 500);
  report("longest that the window's thread was away", watchdog.longest(), 50);
}

void measureFrames(uint32_t nodes, double bar) {
  GraphCanvas canvas;
  canvas.resize(1600, 1000);
  canvas.setReducedMotion(true);
  canvas.show();
  QTest::qWait(20);
  canvas.setFrame(SceneFrame::make(testing::randomScene(nodes, 7), TextMetrics(), nullptr, testing::withoutDot()),
                  GraphCanvas::Transition::Show);
  canvas.grab();
  canvas.fitAll();
  Times times;
  for (int i = 0; i < 40; ++i) {
    auto place = canvas.place();
    place.center.x += (i % 2 == 0 ? 1 : -1) * 40 / place.scale;
    canvas.setPlace(place);
    const double start = cpuMs();
    canvas.grab();
    times.push_back(cpuMs() - start);
  }
  report(fmt::format("a frame of {} visible nodes, median", canvas.lastPaint().nodes), quantile(times, 0.5), bar);
}

void measureLayout(uint32_t nodes, double bar) {
  const SceneGraph graph = testing::randomScene(nodes, 11);
  const TextMetrics metrics;
  Times times;
  for (int i = 0; i < 3; ++i) {
    const double start = cpuMs();
    const auto placed = layout(graph, metrics.sizes(graph), nullptr, testing::withoutDot());
    if (placed) times.push_back(cpuMs() - start);
  }
  report(fmt::format("first layout of {} nodes", nodes), quantile(times, 0), bar);
}

void measureTimeline() {
  auto timeline = std::make_shared<DispatchTimeline>();
  std::vector<Dispatch> all;
  uint32_t random = 1;
  int64_t at = 0;
  for (int i = 0; i < 1000000; ++i) {
    random = random * 1664525 + 1013904223;
    const int64_t ns = 200 + (random >> 16) % 4000;
    all.push_back({at, ns, i % 40 + 1, 0, i / 40, false});
    at += (random >> 8) % 8 == 0 ? ns / 2 : ns + (random >> 20) % 500;
  }
  QElapsedTimer clock;
  clock.start();
  timeline->add("run 1", std::move(all));
  report("rows of a timeline of 1,000,000 dispatches", static_cast<double>(clock.nsecsElapsed()) / 1e6, 1000);
  DispatchView view;
  view.resize(1600, 300);
  view.setTimeline(timeline);
  view.show();
  QTest::qWait(20);
  Times times;
  for (int i = 0; i < 80; ++i) {
    view.zoom(i < 40 ? 1.3 : 1 / 1.3, 800);
    const double start = cpuMs();
    view.grab();
    times.push_back(cpuMs() - start);
  }
  report("a frame of that timeline while zooming, worst", quantile(times, 1), 16);
}

int run(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QApplication app(argc, argv);
  std::vector<std::string> traces(argv + 1, argv + argc);
  if (traces.empty()) {
    const std::string path = (std::filesystem::temp_directory_path() / "rangescope-bench-1000000.rscope").string();
    if (!std::filesystem::exists(path)) {
      fmt::print("writing {} ...\n", path);
      writeSynthetic(path, 1000000);
    }
    traces.push_back(path);
  }
  for (const std::string& t : traces) measureTrace(t);
  measureFrames(10000, 16);
  measureFrames(50000, 33);
  measureLayout(1000, 100);
  measureLayout(10000, 1000);
  measureTimeline();
  return 0;
}

}  // namespace
}  // namespace rangescope::viewer

int main(int argc, char** argv) {
  return rangescope::viewer::run(argc, argv);
}
