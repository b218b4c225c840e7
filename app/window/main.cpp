// The commands of rangescope that need the window's libraries.

#include "app/command_line.h"
#include "app/exit_code.h"
#include "app/window_commands.h"

namespace {

using namespace rangescope::app;

int run(int argc, char** argv) {
  CLI::App app("Rangescope: watch a tensor compiler think", "rangescope");
  app.require_subcommand(1);
  int code = kOk;
  WindowCommands options;
  add_window_commands(
      app, options,
      [&] { code = at_pass(options.exporting.trace, options.export_pass, options.exporting, run_export); },
      [&] { code = at_pass(options.view.trace, options.view_pass, options.view, run_view); });
  return parse_and_run(app, argc, argv, code);
}

}  // namespace

int main(int argc, char** argv) {
  return guarded(run, argc, argv);
}
