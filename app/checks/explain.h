#pragma once
// Why a rule's pattern matches a node of a recorded pass, or at which constraint it fails.

#include <cstdint>
#include <string>

#include "engine/ir/error.h"

namespace rangescope::app {

struct ExplainOptions {
  std::string trace;
  int64_t pass = 0;
  int64_t step = 0;  // after this many matches
  int64_t node = 0;  // number of a node in the trace; 0: the one that the next match replaces
  std::string rule;  // empty: that of the next match, or with a node every rule that fired in the pass
};
Result<std::string> explain_text(const ExplainOptions& options);

}  // namespace rangescope::app
