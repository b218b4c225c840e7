#include "engine/trace/pathologies.h"

#include <fmt/format.h>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"

namespace rangescope::app {

namespace {

double ms(int64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

template <class Rows, class Print>
void list(std::string_view title, const Rows& rows, int64_t most, Print print) {
  fmt::print("{}\n", title);
  if (rows.empty()) fmt::print("  none\n");
  for (size_t i = 0; i < rows.size() && i < static_cast<size_t>(most); ++i) print(rows[i]);
  if (rows.size() > static_cast<size_t>(most))
    fmt::print("  ... and {} more\n", rows.size() - static_cast<size_t>(most));
  fmt::print("\n");
}

}  // namespace

int run_pathologies(const PathologiesOptions& options) {
  auto searcher = trace::Searcher::open(options.trace);
  if (!searcher) return failed(searcher.error());
  const auto found = trace::pathologies(**searcher);
  if (!found) return failed(found.error());
  if (!*found) return kOk;  // nobody can have stopped it
  const trace::Pathologies& p = **found;
  list("Rules by time (with the passes that they run)", p.rules, options.rows, [](const trace::RuleCost& r) {
    fmt::print("  {:>10.3f} ms  {:>5.1f}%  {:>8}x  {}\n", ms(r.ns), r.share * 100, r.fired, r.name);
  });
  list("Passes without effect", p.idle, options.rows, [](const trace::IdlePass& i) {
    fmt::print("  {:>10.3f} ms  {:>6} of {:<6}  {}\n", ms(i.ns), i.times, i.runs, i.name);
  });
  list("Growth, in nodes", p.growth, options.rows, [](const trace::Growth& g) {
    fmt::print("  {:>+8}  {:>8} -> {:<8}  pass {:<6}  {}\n", g.after - g.before, g.before, g.after, g.pass, g.name);
  });
  list("Rewrites that undo others", p.undone, options.rows, [](const trace::Undone& u) {
    fmt::print("  {:>6}x  {} undoes {}  pass {} ({}), matches {} and {}\n", u.times, u.undoes, u.does, u.pass, u.name,
               u.done.step, u.undone.step);
  });
  return kOk;
}

}  // namespace rangescope::app
