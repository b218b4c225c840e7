#pragma once
// Why values got a place in memory of their own, where the trace's writer says it (x_realized, trace-format.md).

#include <cstdint>
#include <string>
#include <vector>

#include "engine/trace/reader.h"

namespace rangescope::trace {

struct Realized {
  int64_t section = 0, pass = 0;  // the pass, or the group of passes, that decided it
  int64_t node = 0;
  std::vector<std::string> ranges;  // names of those that close there, as range_str has them
  std::string reason;
};

// In the order in which it was decided; none where the writer does not say.
Result<std::vector<Realized>> realized(Reader& reader);

}  // namespace rangescope::trace
