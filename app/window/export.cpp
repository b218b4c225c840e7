#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "engine/trace/times.h"
#include "viewer/run_window.h"

namespace rangescope::app {

namespace {

Result<void> write_times(const ExportOptions& options) {
  const bool csv = options.out.ends_with(".csv"), json = options.out.ends_with(".json");
  if (!csv && !json) return tl::unexpected(Error{options.out + " must end in .csv or .json: that says what to write."});
  auto reader = trace::Reader::open(options.trace);
  if (!reader) return tl::unexpected(reader.error());
  const auto runs = (*reader)->runs();
  if (!runs) return tl::unexpected(runs.error());
  if (runs->empty()) return tl::unexpected(Error{options.trace + " has no times. Record it with --run."});
  const auto text = csv ? trace::times_csv(**reader) : trace::times_perfetto(**reader);
  if (!text) return tl::unexpected(text.error());
  auto file = OutputFile::open(options.out);
  if (!file) return tl::unexpected(file.error());
  if (auto written = file->write(*text); !written) return written;
  return file->close();
}

}  // namespace

int run_export(const ExportOptions& options) {
  if (options.times) {
    if (const auto written = write_times(options); !written) return failed(written.error());
    return kOk;
  }
  int argc = 1;
  char name[] = "rangescope";
  char* argv[] = {name, nullptr};
  const Result<void> done = options.animate ? viewer::writeAnimation(argc, argv,
                                                                     {.trace = options.trace,
                                                                      .out = options.out,
                                                                      .pass = options.pass,
                                                                      .from = options.from,
                                                                      .to = options.to,
                                                                      .dark = options.dark})
                                            : viewer::writePicture(argc, argv,
                                                                   {.trace = options.trace,
                                                                    .out = options.out,
                                                                    .pass = options.pass,
                                                                    .step = options.step,
                                                                    .kernelGraph = options.kernel_graph,
                                                                    .times = !options.no_times});
  return done ? kOk : failed(done.error());
}

}  // namespace rangescope::app
