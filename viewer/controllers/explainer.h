#pragma once
// Why a rule matched a node or did not: answered by whoever knows the rules, which the viewer does not.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/ir/error.h"

namespace rangescope::viewer {

struct ExplainRequest {
  std::string trace;
  int64_t pass = 0, step = 0, node = 0;
  std::string rule;  // empty: every rule that fired in the pass
};

struct RuleExplainer {
  std::function<std::vector<std::string>()> rules;  // names of all there are; asked for when the panel is first shown
  // Called on a thread of its own.
  std::function<Result<std::string>(const ExplainRequest&)> explain;
};

}  // namespace rangescope::viewer
