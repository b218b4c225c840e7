#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "app/kernel_table.h"
#include "engine/trace/reader.h"

namespace rangescope::app {

int run_info(const InfoOptions& options) {
  auto opened = trace::Reader::open(options.trace);
  if (!opened) return failed(opened.error());
  trace::Reader& r = **opened;
  fmt::print("{}{}\n", r.meta("program").value_or(options.trace),
             r.complete() ? "" : "  (not closed: up to its last batch)");
  fmt::print("{} passes, {} matches of {} rules, {} nodes\n\n", r.passes().size(), r.match_count(), r.rules().size(),
             r.node_count());
  for (const trace::Section& s : r.sections()) {
    // code generation of many kernels would bury the schedule: it is listed by the queries below
    if (s.kind != "schedule") continue;
    fmt::print("{:>5}  {:>8}  {:>9}  pass\n", "pass", "matches", "ms");
    for (const trace::Pass& p : r.passes()) {
      if (p.section != s.id || (p.depth > 1 && p.matches == 0)) continue;
      fmt::print("{:>5}  {:>8}  {:>9.3f}  {}{}{}\n", p.id, p.group ? std::string() : std::to_string(p.matches),
                 static_cast<double>(p.ns) / 1e6, std::string(static_cast<size_t>(p.depth) * 2, ' '), p.name,
                 p.output == 0 && !p.group ? "  (did not end)" : "");
    }
  }
  for (const trace::TraceError& e : r.errors()) fmt::print("\nrefused in pass {}: {}\n", e.pass, e.message);
  if (auto printed = print_kernel_table(r); !printed) return failed(printed.error());
  return kOk;
}

}  // namespace rangescope::app
