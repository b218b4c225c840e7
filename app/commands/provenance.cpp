#include "engine/trace/provenance.h"

#include <fmt/format.h>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"

namespace rangescope::app {

namespace {

void print_hop(const trace::ProvenanceHop& h, bool self) {
  const std::string where = h.place.pass == 0 ? "" : fmt::format("{}:{}", h.place.pass, h.place.step);
  fmt::print("{} {:>10}  {:>8}  {:<40}  {}\n", self ? '>' : ' ', where, h.node == 0 ? "" : std::to_string(h.node),
             h.how, h.title);
}

}  // namespace

int run_provenance(const ProvenanceOptions& options) {
  auto searcher = trace::Searcher::open(options.trace);
  if (!searcher) return failed(searcher.error());
  const auto p = trace::provenance(**searcher, options.node);
  if (!p) return failed(p.error());
  if (!*p) return kOk;  // nobody can have stopped it
  for (size_t i = 0; i < (*p)->path.size(); ++i) print_hop((*p)->path[i], i == (*p)->self);
  if ((*p)->cut) print_error("the path is longer than what is shown.");
  return kOk;
}

}  // namespace rangescope::app
