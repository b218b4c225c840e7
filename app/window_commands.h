#pragma once
// The commands that need the window's libraries. They are done by a program of their own, which rangescope becomes, so
// that all other commands start in a fifth of the time and memory.

#include <functional>
#include <string>

#include "app/commands.h"

namespace CLI {  // NOLINT(readability-identifier-naming): as the library has it
class App;
}

namespace rangescope::app {

struct WindowCommands {
  ExportOptions exporting;
  ViewOptions view;
  std::string export_pass, view_pass;  // as the command line names them
};

// `export` and `view`, with their options. `options` outlives the parsing.
void add_window_commands(CLI::App& app, WindowCommands& options, std::function<void()> run_export,
                         std::function<void()> run_view);

}  // namespace rangescope::app
