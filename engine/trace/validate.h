#pragma once
// Whether a file is the trace that resources/docs/trace-format.md promises. A reader opens much of what is not; whoever
// writes traces wants to know all of it.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/ir/error.h"

namespace rangescope::trace {

struct Finding {
  std::string where;  // "matches 17", "passes 3", "node 12", "file"
  std::string what;
};

struct ValidateOptions {
  bool rebuild = true;  // also rebuild every pass from its matches and compare with its output
  size_t most = 100;    // findings, after which it stops
  std::function<void(int64_t done, int64_t of)> progress = {};
};

struct Validation {
  std::vector<Finding> findings;
  bool cut = false;  // there may be more than `most`
  int64_t version = 0, nodes = 0, passes = 0, matches = 0, rebuilt = 0;
};

// An error: what cannot be opened as a trace at all.
Result<Validation> validate(const std::string& path, const ValidateOptions& options = {});

}  // namespace rangescope::trace
