#include "tests/viewer/bench/trace_bench.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include "engine/rewrite/driver.h"
#include "engine/trace/recorder.h"
#include "engine/trace/search.h"
#include "tests/viewer/bench/measured.h"
#include "viewer/controllers/trace_session.h"

namespace rangescope::viewer {

namespace {

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

}  // namespace

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
    return clockMs(clock);
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
  const double openMs = clockMs(clock);
  report(fmt::format("open, {} matches, {} nodes", session.summary().matches, session.summary().nodes), openMs, 1000);
  report("open to first picture", openMs + show({first->id, std::min<int64_t>(1, first->matches)}), 1000);
  clock.restart();
  wait([&] { return !session.busy(); });
  fmt::print("{:<64}{:>10.2f} ms\n", "rules counted behind it, slice by slice", clockMs(clock));
  // the graph rebuilt and labelled, layout apart
  const std::string where = fmt::format(" of the largest pass ({} matches)", largest->matches);
  if (largest->matches > 0) {
    forgetFile(path);
    QElapsedTimer cold;
    cold.start();
    auto reader = trace::Reader::open(path);
    (void)stepScene(**reader, {largest->id, largest->matches}, {});
    report("opened at the last step, the file not in memory", clockMs(cold), 1000);
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

void measureSearch(const std::string& path) {
  auto searcher = trace::Searcher::open(path);
  if (!searcher) throw std::runtime_error(searcher.error().message);
  QElapsedTimer clock;
  clock.start();
  if (auto read = (*searcher)->complete([](double) {}, {}); !read) throw std::runtime_error(read.error().message);
  fmt::print("{:<64}{:>10.2f} ms\n", "the index of the search, read", clockMs(clock));
  for (const char* words : {"op:ADD", "is:step a", "dtype:float32 is:node"}) {
    const auto query = trace::parse_search(words);
    if (!query) throw std::runtime_error(query.error().message);
    double first = -1;
    clock.start();
    const auto found = (*searcher)->run(*query, 1000, [&](trace::SearchUpdate&& u) {
      if (first < 0 && !u.hits.empty()) first = clockMs(clock);
    });
    if (!found) throw std::runtime_error(found.error().message);
    report(fmt::format("first hits of '{}'", words), first < 0 ? clockMs(clock) : first, 200);
  }
}

}  // namespace rangescope::viewer
