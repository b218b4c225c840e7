#include "app/checks/explain.h"

#include <fmt/format.h>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"

namespace rangescope::app {

int run_explain(const ExplainOptions& options) {
  const auto text = explain_text(options);
  if (!text) return failed(text.error());
  fmt::print("{}", *text);
  return kOk;
}

}  // namespace rangescope::app
