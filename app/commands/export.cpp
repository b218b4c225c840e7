#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "viewer/run_window.h"

namespace rangescope::app {

int run_export(const ExportOptions& options) {
  int argc = 1;
  char name[] = "rangescope";
  char* argv[] = {name, nullptr};
  const auto done = viewer::writePicture(argc, argv,
                                         {.trace = options.trace,
                                          .out = options.out,
                                          .pass = options.pass,
                                          .step = options.step,
                                          .kernelGraph = options.kernel_graph,
                                          .times = !options.no_times});
  if (done) return kOk;
  print_error(done.error().message);
  return kFailed;
}

}  // namespace rangescope::app
