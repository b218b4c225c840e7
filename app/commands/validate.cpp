#include "engine/trace/validate.h"

#include <fmt/format.h>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"

namespace rangescope::app {

int run_validate(const ValidateCommandOptions& options) {
  Result<trace::Validation> done = trace::Validation{};
  {
    Progress progress("rebuilding passes");
    trace::ValidateOptions how;
    how.rebuild = !options.quick;
    how.most = static_cast<size_t>(options.most);
    how.progress = [&](int64_t i, int64_t of) {
      if (i % 64 == 0) progress.step(fmt::format("{} of {}", i, of));
    };
    done = trace::validate(options.trace, how);
  }
  if (!done) return failed(done.error());
  for (const trace::Finding& f : done->findings) fmt::print("{}: {}\n", f.where, f.what);
  if (done->findings.empty()) {
    fmt::print(
        "{} keeps format {}: {} nodes, {} passes, {} matches; {}\n", options.trace, done->version, done->nodes,
        done->passes, done->matches,
        options.quick ? "passes were not rebuilt" : fmt::format("{} passes rebuilt from their matches", done->rebuilt));
    return kOk;
  }
  print_error(fmt::format("{} does not keep the format: {}{} findings.", options.trace, done->findings.size(),
                          done->cut ? " or more" : ""));
  return kFailed;
}

}  // namespace rangescope::app
