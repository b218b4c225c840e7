#pragma once
// Where a node came from and what became of it: back through the rewrites that made it to the program's own graph, and
// on through the passes to the kernels. Meant for a worker: it rebuilds the graphs of the passes on the way.

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/trace/search.h"

namespace rangescope::trace {

// One thing on the path, and how it came about: from the one before it.
struct ProvenanceHop {
  enum class Kind : uint8_t {
    Input,    // it is in the program
    Between,  // it was put together between two matches, from what is not known
    MadeBy,   // a rule put it in place of the node before
    Rebuilt,  // the node before around other sources
    Given,    // a rule that replaced the node before built it for a pass of its own
    TakenUp,  // a rule that replaced a user of the node before took that in
    Kernel,   // the kernel that the node before is part of
    Gone,     // the pass after which the node before is no longer in the graph
  };
  Kind kind = Kind::Input;
  Place place;        // where it came about
  int64_t node = 0;   // 0: none
  int64_t match = 0;  // of MadeBy, Given and TakenUp
  int64_t rule = 0;
  int64_t item = 0;   // of Kernel: in the schedule
  std::string title;  // the node, the kernel's name, or the pass's
  std::string how;    // "made by add-zero"
};

struct Provenance {
  std::vector<ProvenanceHop> path;  // from the program to the node and on
  size_t self = 0;                  // the node itself
  bool cut = false;                 // there is more than was followed
};

// Empty where it was asked to stop.
Result<std::optional<Provenance>> provenance(Searcher& searcher, int64_t node, const std::stop_token& stop = {});

}  // namespace rangescope::trace
