// The window measured: opening by the clock, steps, frames and layouts by the work of the thread that does them.
// `./dev bench viewer [TRACE...]`; without a trace a synthetic
// one of a million matches and three million nodes is written first, and kept.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QMetaEnum>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>

#include "app/keep_memory.h"
#include "engine/rewrite/driver.h"
#include "engine/trace/recorder.h"
#include "engine/trace/search.h"
#include "tests/viewer/bench/layout_bench.h"
#include "tests/viewer/canvas/scenes.h"
#include "viewer/canvas/graph_canvas.h"
#include "viewer/controllers/trace_session.h"
#include "viewer/main_window.h"
#include "viewer/panels/dispatch_view.h"
#include "viewer/tool_docks.h"

namespace rangescope::viewer {
namespace {

using Times = std::vector<double>;

double quantile(Times t, double q) {
  if (t.empty()) return 0;
  std::ranges::sort(t);
  return t[std::min(t.size() - 1, static_cast<size_t>(q * static_cast<double>(t.size())))];
}

// What was measured, the bar it is held against, and whether it is below.
void report(const std::string& what, double value, double bar, const char* unit = "ms") {
  fmt::print("{:<64}{:>10.2f} {:<2}   bar {:>6.4g}   {}\n", what, value, unit, bar, value <= bar ? "" : "OVER");
  std::fflush(stdout);
}

template <class Done>
void wait(Done done) {
  if (QTest::qWaitFor(done, 60000)) return;
  fmt::print(stderr, "a minute went by and nothing came\n");
  std::exit(1);
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

// Knows the event that took longest, so that a window that was away says what it did.
class BenchApplication : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override {
    const QByteArray name = receiver->metaObject()->className();
    const int type = event->type();
    QElapsedTimer clock;
    clock.start();
    const double start = cpuMs();
    const bool taken = QApplication::notify(receiver, event);
    const double ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    // an event that waits for another one inside it takes no longer than that
    if (ms > longest_ * 1.05) {
      longest_ = ms;
      said_ =
          fmt::format("{} to {}: {:.0f} ms, {:.0f} of them work", QMetaEnum::fromType<QEvent::Type>().valueToKey(type),
                      name.toStdString(), ms, cpuMs() - start);
    }
    return taken;
  }
  std::string takeLongest() {
    longest_ = 0;
    return std::exchange(said_, {});
  }

 private:
  double longest_ = 0;
  std::string said_;
};

// The longest time for which the thread of the window did not come to look at its events.
class Watchdog {
 public:
  Watchdog() {
    timer_.setInterval(1);
    QObject::connect(&timer_, &QTimer::timeout, [this] {
      const double ms = static_cast<double>(clock_.nsecsElapsed()) / 1e6, cpu = cpuMs();
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
  report("most that the window's thread worked at a stretch", watchdog.work(), 50);
  fmt::print("{:<64}{:>10.2f} ms\n", "    and was away by the clock", watchdog.longest());
}

// Keys as a person presses them, on the whole window: it must come back to its events between all of it.
void measureWindow(BenchApplication& app, const std::string& path) {
  MainWindow window;
  window.canvas().setReducedMotion(false);
  window.QWidget::show();
  QTest::qWait(50);
  (void)app.takeLongest();
  const auto settled = [&] { return window.navigator().address().pass != 0 && window.settled(); };
  const auto watched = [&](const char* what, const std::function<void()>& does) {
    const Watchdog watchdog;
    does();
    QTest::qWait(20);
    const std::string longest = app.takeLongest();
    report(fmt::format("the window's thread at work while {}", what), watchdog.work(), 50);
    if (watchdog.longest() > 50)
      fmt::print("    away for {:.0f} ms by the clock; the longest event: {}\n", watchdog.longest(), longest);
  };
  const auto press = [&](Qt::Key k, int times, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    for (int i = 0; i < times; ++i) {
      QTest::keyClick(&window.canvas(), k, modifiers);
      wait(settled);
    }
  };
  watched("it opens", [&] {
    window.openTrace(QString::fromStdString(path));
    wait(settled);
    wait([&] { return !window.session().busy(); });
  });
  watched("passes are walked", [&] { press(Qt::Key_Down, 25); });
  const auto& passes = window.session().summary().passes;
  const auto largest = std::ranges::max_element(passes, {}, &trace::Pass::matches);
  watched("the largest pass opens at its end", [&] {
    window.navigator().go({largest->id, largest->matches});
    wait(settled);
  });
  watched("matches are stepped through", [&] {
    press(Qt::Key_Left, 25);
    press(Qt::Key_Left, 10, Qt::ShiftModifier);
  });
  watched("all is searched", [&] {
    window.tools().searchFor(QStringLiteral("op:ADD"));
    wait([&] { return !window.tools().busy(); });
    window.tools().searchFor(QStringLiteral("is:step a"));
    wait([&] { return !window.tools().busy(); });
  });
  watched("nodes are selected and the step is held against its input", [&] {
    const auto frame = window.canvas().frame();
    for (size_t i = 0; i < 20 && i < frame->graph.nodes.size(); ++i) {
      emit window.canvas().nodeClicked(frame->graph.nodes[i * frame->graph.nodes.size() / 20].key);
      wait([&] { return !window.session().busy(); });
    }
    press(Qt::Key_D, 2);
  });
}

// Painted as the window paints: into the picture that it keeps.
void measureFrames(uint32_t nodes, double bar) {
  GraphCanvas canvas;
  canvas.resize(1600, 1000);
  canvas.setReducedMotion(true);
  canvas.show();
  QTest::qWait(20);
  const SceneGraph graph = testing::randomScene(nodes, 7);
  const auto frame = SceneFrame::make(graph, TextMetrics(), nullptr, testing::withoutDot());
  canvas.setFrame(frame, GraphCanvas::Transition::Show);
  canvas.repaint();
  canvas.fitAll();
  const auto painted = [&](const char* doing, const std::function<void(int)>& next) {
    Times times;
    rusage before{}, after{};
    getrusage(RUSAGE_THREAD, &before);
    constexpr int kFrames = 40;
    for (int i = 0; i < kFrames; ++i) {
      next(i);
      const double start = cpuMs();
      canvas.repaint();
      times.push_back(cpuMs() - start);
    }
    getrusage(RUSAGE_THREAD, &after);
    report(fmt::format("a frame of {} visible nodes while {}, median", canvas.lastPaint().nodes, doing),
           quantile(times, 0.5), bar);
    if (const long faults = (after.ru_minflt - before.ru_minflt) / kFrames; faults > 50)
      fmt::print("    {} page faults a frame\n", faults);
  };
  painted("panning", [&](int i) {
    auto place = canvas.place();
    place.center.x += (i % 2 == 0 ? 1 : -1) * 40 / place.scale;
    canvas.setPlace(place);
  });
  painted("zooming", [&](int i) {
    auto place = canvas.place();
    place.scale *= i % 2 == 0 ? 0.97 : 1 / 0.97;
    canvas.setPlace(place);
  });
  // a twentieth of the nodes gives way to others
  SceneGraph changed = graph;
  for (size_t v = 0; v < changed.nodes.size(); v += 20) changed.nodes[v].key += 10'000'000;
  canvas.fitAll();
  canvas.setReducedMotion(false);
  canvas.setFollowsChange(false);
  canvas.setMotionMilliseconds(60'000);
  canvas.setFrame(SceneFrame::make(std::move(changed), TextMetrics(), frame.get(), testing::withoutDot()),
                  GraphCanvas::Transition::Glide);
  painted("gliding", [](int) {});
}

// By the clock, as whoever waits for it sees it.
void measureSearch(const std::string& path) {
  auto searcher = trace::Searcher::open(path);
  if (!searcher) throw std::runtime_error(searcher.error().message);
  QElapsedTimer clock;
  clock.start();
  if (auto read = (*searcher)->complete([](double) {}, {}); !read) throw std::runtime_error(read.error().message);
  fmt::print("{:<64}{:>10.2f} ms\n", "the index of the search, read", static_cast<double>(clock.nsecsElapsed()) / 1e6);
  for (const char* words : {"op:ADD", "is:step a", "dtype:float32 is:node"}) {
    const auto query = trace::parse_search(words);
    if (!query) throw std::runtime_error(query.error().message);
    double first = -1;
    clock.start();
    const auto found = (*searcher)->run(*query, 1000, [&](trace::SearchUpdate&& u) {
      if (first < 0 && !u.hits.empty()) first = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    });
    if (!found) throw std::runtime_error(found.error().message);
    report(fmt::format("first hits of '{}'", words),
           first < 0 ? static_cast<double>(clock.nsecsElapsed()) / 1e6 : first, 200);
  }
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
  BenchApplication app(argc, argv);
  QStandardPaths::setTestModeEnabled(true);  // a layout of docks that somebody keeps is none of this
  QApplication::setOrganizationName(QStringLiteral("rangescope-bench"));
  QSettings().clear();
  std::vector<std::string> traces(argv + 1, argv + argc);
  if (traces.empty()) {
    const std::string path = (std::filesystem::temp_directory_path() / "rangescope-bench-1000000.rscope").string();
    if (!std::filesystem::exists(path)) {
      fmt::print("writing {} ...\n", path);
      writeSynthetic(path, 1000000);
    }
    traces.push_back(path);
  }
  for (const std::string& t : traces) {
    measureTrace(t);
    measureSearch(t);
    measureWindow(app, t);
  }
  measureFrames(10000, 16);
  measureFrames(50000, 33);
  for (const Measured& m : measureLayouts()) report(m.what, m.value, m.bar, m.unit);
  measureTimeline();
  return 0;
}

}  // namespace

// Of this thread's work: others may be using the machine.
double cpuMs() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

}  // namespace rangescope::viewer

int main(int argc, char** argv) {
  try {
    rangescope::app::keep_memory();  // as the program does
    return rangescope::viewer::run(argc, argv);
  } catch (const std::exception& e) {
    std::fputs(e.what(), stderr);
    return 1;
  }
}
