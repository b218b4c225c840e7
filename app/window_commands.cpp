#include "app/window_commands.h"

#include <utility>

#include "app/command_line.h"

namespace rangescope::app {

void add_window_commands(CLI::App& app, WindowCommands& options, std::function<void()> run_export,
                         std::function<void()> run_view) {
  CLI::App* c = app.add_subcommand("export", "a step, the kernel graph or the times as a picture or data");
  c->add_option("TRACE", options.exporting.trace, "a .rscope file")->required();
  c->add_option("-o,--output", options.exporting.out,
                "the file; its extension says what: svg, png, pdf, dot or json; with --animate gif, webp or html")
      ->required();
  c->add_option("--pass", options.export_pass, kPassHelp);
  c->add_option("--step", options.exporting.step, "after this many matches; the last where left out")
      ->check(CLI::NonNegativeNumber);
  c->add_flag("--kernel-graph", options.exporting.kernel_graph,
              "the kernels, with their times where the trace has them");
  c->add_flag("--times", options.exporting.times,
              "the time of every dispatch instead: csv (statistics), or json (a trace for Perfetto)");
  c->add_flag("--no-times", options.exporting.no_times, "leave the times out");
  c->add_flag("--animate", options.exporting.animate,
              "every step of the pass: a gif, a webp, or a page that plays it (html)");
  c->add_option("--from", options.exporting.from, "first step of the animation")->check(CLI::NonNegativeNumber);
  c->add_option("--to", options.exporting.to, "last step of the animation")->check(CLI::NonNegativeNumber);
  c->add_flag("--dark", options.exporting.dark, "an animation with the dark theme");
  c->callback(std::move(run_export));

  c = app.add_subcommand("view", "open the window");
  c->add_option("TRACE", options.view.trace, "a .rscope file");
  c->add_option("--pass", options.view_pass, kPassHelp);
  c->add_option("--step", options.view.step, "after this many of its matches")->check(CLI::NonNegativeNumber);
  c->add_option("--node", options.view.node, "select this node, at the pass and step or where it is seen first")
      ->check(CLI::PositiveNumber);
  c->add_option("--search", options.view.search, "search for this");
  c->add_option("--diff", options.view.diff, "compare with this trace, from where the two part");
  c->add_option("--panel", options.view.panel, "open this panel")
      ->check(CLI::IsMember({"search", "query", "pathologies", "provenance", "why", "diff", "kernels", "timeline",
                             "roofline", "places", "buffers", "rule", "node", "loops", "lessons", "whatif", "script",
                             "values"}));
  c->add_option("--lesson", options.view.lesson, "open this lesson, from 1; with --step at that step of it")
      ->check(CLI::PositiveNumber);
  c->add_flag("--lens", options.view.lens, "look through the rangeify lens");
  c->add_flag("--dark", options.view.dark, "with the dark theme");
  c->add_flag("--follow", options.view.follow, "stay at the newest match of a trace that is still being recorded");
  c->add_option("--screenshot", options.view.screenshot, "write a picture of the window here (.png) and leave");
  c->callback(std::move(run_view));
}

}  // namespace rangescope::app
