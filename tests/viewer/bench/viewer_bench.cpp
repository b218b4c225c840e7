// The window measured: opening by the clock, steps, frames and layouts by the work of the thread that does them.
// `./dev bench viewer [TRACE...]`; without a trace a synthetic
// one of a million matches and three million nodes is written first, and kept.

#include <fmt/format.h>

#include <QSettings>
#include <QStandardPaths>
#include <exception>
#include <filesystem>

#include "app/keep_memory.h"
#include "tests/viewer/bench/canvas_bench.h"
#include "tests/viewer/bench/layout_bench.h"
#include "tests/viewer/bench/trace_bench.h"
#include "tests/viewer/bench/window_bench.h"

namespace rangescope::viewer {

namespace {

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
  measureExport(10000, 2000);
  for (const Measured& m : measureLayouts()) report(m);
  measureTimeline();
  return 0;
}

}  // namespace

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
