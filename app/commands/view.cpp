#include "app/checks/rule_catalog.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "viewer/run_window.h"

namespace rangescope::app {

int run_view(const ViewOptions& options) {
  int argc = 1;
  char name[] = "rangescope";
  char* argv[] = {name, nullptr};
  viewer::WindowOptions window{.trace = options.trace,
                               .pass = options.pass,
                               .step = options.step,
                               .screenshot = options.screenshot,
                               .panel = options.panel,
                               .search = options.search,
                               .node = options.node,
                               .explainer = {}};
  for (const CatalogRule& r : rule_catalog()) window.explainer.rules.emplace_back(r.rule->name);
  window.explainer.explain = [](const viewer::ExplainRequest& r) {
    return explain_text({.trace = r.trace, .pass = r.pass, .step = r.step, .node = r.node, .rule = r.rule});
  };
  const auto code = viewer::runWindow(argc, argv, window);
  if (code) return *code;
  print_error(code.error().message);
  return kFailed;
}

}  // namespace rangescope::app
