#include "viewer/run_window.h"

#include <fmt/format.h>

#include <QApplication>
#include <QTimer>
#include <algorithm>
#include <cstdlib>

#include "engine/trace/reader.h"
#include "viewer/canvas/graph_canvas.h"
#include "viewer/diff_dock.h"
#include "viewer/kernel_docks.h"
#include "viewer/kernel_workshop.h"
#include "viewer/lesson_dock.h"
#include "viewer/main_window.h"
#include "viewer/panels/job_bar.h"
#include "viewer/save_file.h"
#include "viewer/script_dock.h"
#include "viewer/tool_docks.h"
#include "viewer/what_if_dock.h"

namespace rangescope::viewer {

namespace {

// A screenshot that is not there after this long will not come.
constexpr int kScreenshotSeconds = 60;

// Whether there is what the window shall open at: an empty window with a message is no answer on a command line.
Result<void> openable(const WindowOptions& options) {
  if (options.trace.empty()) return {};
  const auto reader = trace::Reader::open(options.trace);
  if (!reader) return tl::unexpected(reader.error());
  if (!options.diff.empty())
    if (const auto other = trace::Reader::open(options.diff); !other) return tl::unexpected(other.error());
  if (options.pass == 0) return {};
  const trace::Pass* p = (*reader)->pass(options.pass);
  if (p == nullptr) return tl::unexpected(Error{fmt::format("this trace has no pass {}.", options.pass)});
  // the match at which a rule refused the graph is a step too
  const auto& errors = (*reader)->errors();
  const bool refused = std::ranges::any_of(errors, [&](const auto& e) { return e.pass == p->id && e.match != 0; });
  if (options.step > p->matches + (refused ? 1 : 0))
    return tl::unexpected(
        Error{fmt::format("pass {} has {} matches: there is no step {}.", p->id, p->matches, options.step)});
  return {};
}

// Without a display a picture can still be made; a window needs one.
void preparePlatform(bool window) {
  if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) return;
  if (!window || (!qEnvironmentVariableIsSet("DISPLAY") && !qEnvironmentVariableIsSet("WAYLAND_DISPLAY")))
    qputenv("QT_QPA_PLATFORM", "offscreen");
}

// Qt ends the program where it cannot reach the display; a person gets told what to do, and a script an exit code.
void explainDisplay(QtMsgType type, const QMessageLogContext&, const QString& text) {
  if (type != QtFatalMsg) {
    if (type != QtDebugMsg && type != QtInfoMsg) fmt::print(stderr, "{}\n", text.toStdString());
    return;
  }
  fmt::print(stderr,
             "rangescope: no window can be opened: the display that DISPLAY or WAYLAND_DISPLAY names does not answer. "
             "Correct it, or use --screenshot FILE.png.\n");
  std::_Exit(1);
}

}  // namespace

Result<int> runWindow(int& argc, char** argv, const WindowOptions& options) {
  const bool display = qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
                       qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
  if (options.screenshot.empty() && !display)
    return tl::unexpected(Error{"there is no display to open a window on. Set DISPLAY, or use --screenshot FILE.png."});
  if (auto there = openable(options); !there) return tl::unexpected(there.error());
  preparePlatform(options.screenshot.empty());
  const QtMessageHandler usual = qInstallMessageHandler(explainDisplay);
  const QApplication app(argc, argv);
  qInstallMessageHandler(usual);
  QApplication::setApplicationName(QStringLiteral("rangescope"));
  QApplication::setOrganizationName(QStringLiteral("rangescope"));
  MainWindow window;
  window.setExplainer(options.explainer);
  window.setChildProgram(options.program);
  window.setSources(options.sources);
  window.lessons().setRecorder(options.recorder);
  window.setRemembersPlaces(options.screenshot.empty());
  if (options.lens) window.setLens(true);
  if (options.dark) window.setDark(true);
  if (options.follow) window.setFollowing(true);
  QObject::connect(&window.session(), &TraceSession::opened, &window, [&] {
    if (!options.panel.empty()) window.tools().open(QString::fromStdString(options.panel));
    window.openPanel(QString::fromStdString(options.panel));
    window.kernelDocks().open(QString::fromStdString(options.panel));
    if (!options.diff.empty()) window.compareWith(QString::fromStdString(options.diff));
    if (options.lesson > 0 && options.step > 0) window.lessons().showStep(static_cast<int>(options.step) - 1);
    if (!options.search.empty()) window.tools().searchFor(QString::fromStdString(options.search));
    if (options.node != 0 && options.pass != 0)
      window.goTo({options.pass, options.step < 0 ? INT64_MAX : options.step}, options.node);
    else if (options.node != 0)
      window.tools().searching().findPlace(options.node);
  });
  if (options.pass != 0) window.startAt(options.pass, options.step);
  std::string failure;
  const auto save = [&] {
    const auto saved = saveFile(options.screenshot, pngBytes(window.grab().toImage()));
    if (!saved) failure = saved.error().message;
  };
  if (!options.screenshot.empty()) {
    window.canvas().setReducedMotion(true);
    // the panels' answers come after the picture
    auto* quiet = new QTimer(&window);
    quiet->setInterval(300);
    QObject::connect(quiet, &QTimer::timeout, &window, [&] {
      if (!window.settled() || window.tools().busy() || window.diff().busy() || window.lessons().busy() ||
          window.kernelDocks().busy() || window.whatIf().busy() || window.script().busy() || window.workshop().busy() ||
          window.jobs().isVisible())
        return;
      save();
      QApplication::exit(0);
    });
    QObject::connect(&window, &MainWindow::pictureShown, quiet, qOverload<>(&QTimer::start), Qt::QueuedConnection);
    const auto fail = [&](const std::string& message) {
      failure = message;
      QApplication::exit(0);
    };
    const auto failWith = [fail](const QString& message) { fail(message.toStdString()); };
    QObject::connect(&window.session(), &TraceSession::openFailed, &window, failWith);
    QObject::connect(&window.session(), &TraceSession::pictureFailed, &window, failWith);
    QObject::connect(&window.session(), &TraceSession::opened, &window, [&, fail] {
      if (window.navigator().address().pass == 0 && !window.lessons().leads())
        fail(options.trace + " holds no passes: there is nothing to show.");
    });
    QTimer::singleShot(kScreenshotSeconds * 1000, &window, [fail] {
      fail(fmt::format("the picture was not ready after {} seconds.", kScreenshotSeconds));
    });
    if (options.trace.empty() && options.lesson == 0)
      QTimer::singleShot(0, &window, [&] {
        save();
        QApplication::exit(0);
      });
  }
  window.QWidget::show();
  if (options.lesson > 0) {
    if (!window.lessons().openLesson(options.lesson - 1))
      return tl::unexpected(Error{fmt::format("there is no lesson {}.", options.lesson)});
  } else if (!options.trace.empty()) {
    window.openTrace(QString::fromStdString(options.trace));
  }
  const int code = QApplication::exec();
  if (!failure.empty()) return tl::unexpected(Error{failure});
  return code;
}

}  // namespace rangescope::viewer
