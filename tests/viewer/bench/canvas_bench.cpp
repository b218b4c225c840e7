#include "tests/viewer/bench/canvas_bench.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <functional>

#include "tests/viewer/bench/measured.h"
#include "tests/viewer/canvas/scenes.h"
#include "viewer/canvas/export.h"
#include "viewer/canvas/graph_canvas.h"
#include "viewer/panels/dispatch_view.h"

namespace rangescope::viewer {

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

// Placed and written, by the clock.
void measureExport(uint32_t nodes, double bar) {
  const SceneGraph graph = testing::randomScene(nodes, 7);
  QElapsedTimer clock;
  clock.start();
  const auto frame = SceneFrame::make(graph, TextMetrics(), nullptr, testing::withoutDot());
  const qsizetype bytes = renderSvg(*frame, QStringLiteral("bench")).size();
  report(fmt::format("{} nodes placed and written as SVG, {:.1f} MB", nodes, static_cast<double>(bytes) / 1e6),
         clockMs(clock), bar);
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
  report("rows of a timeline of 1,000,000 dispatches", clockMs(clock), 1000);
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

}  // namespace rangescope::viewer
