#pragma once
// What is worth a look in a trace: rules that cost most, passes without effect, growth, rewrites that undo others.
// Meant for a worker.

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/trace/search.h"

namespace rangescope::trace {

struct RuleCost {
  int64_t rule = 0;
  std::string name;
  int64_t fired = 0, ns = 0;  // time in the rule, nested passes included
  double share = 0;           // of the time in all rules
  Place first;
};

// Passes of one name that changed nothing, each time they ran.
struct IdlePass {
  std::string name;
  int64_t times = 0, ns = 0;
  int64_t runs = 0;  // of this name, those that changed something included
  int64_t first = 0;
};

struct Growth {
  int64_t pass = 0;
  std::string name;
  int64_t before = 0, after = 0;  // nodes of its input and output
};

// A match and a later one of the same pass that turns it back.
struct Undone {
  int64_t pass = 0;
  std::string name;                // of the pass
  std::string does, undoes;        // rules
  int64_t match = 0, undoing = 0;  // the first such pair
  Place done, undone;
  int64_t times = 0;  // pairs of these rules in this pass
};

struct Pathologies {
  std::vector<RuleCost> rules;  // most expensive first, all of them
  std::vector<IdlePass> idle;   // most time first
  std::vector<Growth> growth;   // the most grown first, the most shrunk last
  std::vector<Undone> undone;   // most frequent first
};

// `progress`: 0 to 1. Empty where it was asked to stop.
Result<std::optional<Pathologies>> pathologies(Searcher& searcher, const std::function<void(double)>& progress = {},
                                               const std::stop_token& stop = {});

}  // namespace rangescope::trace
