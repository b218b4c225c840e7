#include <cstdlib>
#include <filesystem>

#include "app/checks/explain.h"
#include "app/checks/rule_catalog.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "app/window/lesson_trace.h"
#include "engine/schedule/flag_table.h"
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
                               .diff = options.diff,
                               .node = options.node,
                               .explainer = {},
                               .program = {},
                               .recorder = record_lesson,
                               .lesson = options.lesson,
                               .lens = options.lens,
                               .dark = options.dark,
                               .sources = {},
                               .follow = options.follow};
  window.explainer.rules = [] {
    std::vector<std::string> names;
    for (const CatalogRule& r : rule_catalog()) names.emplace_back(r.rule->name);
    return names;
  };
  window.explainer.explain = [](const viewer::ExplainRequest& r) {
    return explain_text({.trace = r.trace, .pass = r.pass, .step = r.step, .node = r.node, .rule = r.rule});
  };
  std::error_code error;
  const char* sources = std::getenv("RANGESCOPE_SOURCE");
  window.sources = sources != nullptr ? sources : RANGESCOPE_SOURCE_DIR;
  if (const auto self = std::filesystem::read_symlink("/proc/self/exe", error); !error)
    window.program.path = (self.parent_path() / "rangescope").string();
  window.program.settings = [] {
    std::vector<viewer::Setting> settings;
    const schedule::Flags usual;
    for (const schedule::FlagRow& row : schedule::flag_table())
      settings.push_back({std::string(row.name), std::string(row.meaning), usual.*row.value});
    return settings;
  };
  const auto code = viewer::runWindow(argc, argv, window);
  if (code) return *code;
  return failed(code.error());
}

}  // namespace rangescope::app
