#pragma once
// The window as a function: what the command line calls.

#include <cstdint>
#include <functional>
#include <string>

#include "engine/ir/error.h"
#include "viewer/controllers/child_program.h"
#include "viewer/controllers/explainer.h"

namespace rangescope::viewer {

struct WindowOptions {
  std::string trace;       // empty: an empty window
  int64_t pass = 0;        // 0: where the trace would open
  int64_t step = -1;       // below 0: the end of the pass
  std::string screenshot;  // a .png: the window is shown, drawn once, written there, and closed
  std::string panel;       // its name, as MainWindow, ToolDocks and KernelDocks have it: opened
  std::string search;      // looked for
  std::string diff;        // another trace, to be compared with it
  int64_t node = 0;        // selected, where it is seen first, or at the pass and step
  RuleExplainer explainer;
  ChildProgram program;
  // Schedules a lesson's program, generates its kernels if asked to, and gives the path of the trace.
  std::function<Result<std::string>(const std::string& program, bool codegen)> recorder;
  int lesson = 0;  // from 1: opened at its first step; 0: none
  bool lens = false, dark = false;
  std::string sources;  // the folder that holds the engine's
  bool follow = false;  // stays at the newest match of a trace that is being recorded
};

// Runs the window until it is closed. `argc` and `argv` are for Qt. Gives the exit code of the event loop.
Result<int> runWindow(int& argc, char** argv, const WindowOptions& options);

// A picture of a step or of the kernel graph, without a window.
struct PictureOptions {
  std::string trace;
  std::string out;  // .svg, .png, .pdf, .dot or .json
  int64_t pass = 0;
  int64_t step = -1;
  bool kernelGraph = false;
  bool times = true;
};
struct AnimationOptions {
  std::string trace;
  std::string out;  // .gif, .webp or .html
  int64_t pass = 0;
  int64_t from = 0, to = -1;  // steps; -1: the last
  bool dark = false;
};
Result<void> writeAnimation(int& argc, char** argv, const AnimationOptions& options);

Result<void> writePicture(int& argc, char** argv, const PictureOptions& options);

}  // namespace rangescope::viewer
