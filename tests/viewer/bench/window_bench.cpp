#include "tests/viewer/bench/window_bench.h"

#include <fmt/format.h>

#include <QMetaEnum>
#include <functional>

#include "tests/viewer/bench/measured.h"
#include "viewer/canvas/graph_canvas.h"
#include "viewer/main_window.h"
#include "viewer/tool_docks.h"

namespace rangescope::viewer {

bool BenchApplication::notify(QObject* receiver, QEvent* event) {
  const QByteArray name = receiver->metaObject()->className();
  const int type = event->type();
  QElapsedTimer clock;
  clock.start();
  const double start = cpuMs();
  const bool taken = QApplication::notify(receiver, event);
  const double ms = clockMs(clock);
  // an event that waits for another one inside it takes no longer than that
  if (ms > longest_ * 1.05) {
    longest_ = ms;
    said_ = fmt::format("{} to {}: {:.0f} ms, {:.0f} of them work",
                        QMetaEnum::fromType<QEvent::Type>().valueToKey(type), name.toStdString(), ms, cpuMs() - start);
  }
  return taken;
}

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

}  // namespace rangescope::viewer
