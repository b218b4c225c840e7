#pragma once
// Everything the inspector says about one node, as text. Made on the thread that owns the reader.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/trace/reader.h"

namespace rangescope::viewer {

struct NodeRef {
  uint32_t key = 0;
  std::string text;  // "ADD float32 (4, 4)"
};

struct NodeDetails {
  uint32_t key = 0;
  int64_t number = 0;  // in the trace; 0: rebuilt for this step, no node of the trace
  std::string op, dtype, shape, ranges, arg, tag, device, bounds, expression;
  std::vector<NodeRef> sources, users;
  std::optional<trace::StepMatch> madeBy;
  std::string madeByRule, madeByPass;
  int64_t madeByIndex = 0;  // which match of its pass, from 1
  std::string realized;     // why its value has a place in memory of its own; empty: it has none, or nobody knows
  std::string location;     // script line and layer, where the trace knows them
};

// `root`: the graph on show, for the users.
Result<NodeDetails> nodeDetails(trace::Reader& reader, uint32_t key, UOp root);

}  // namespace rangescope::viewer
