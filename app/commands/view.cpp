#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "viewer/run_window.h"

namespace rangescope::app {

int run_view(const ViewOptions& options) {
  int argc = 1;
  char name[] = "rangescope";
  char* argv[] = {name, nullptr};
  const auto code = viewer::runWindow(
      argc, argv,
      {.trace = options.trace, .pass = options.pass, .step = options.step, .screenshot = options.screenshot});
  if (code) return *code;
  print_error(code.error().message);
  return kFailed;
}

}  // namespace rangescope::app
