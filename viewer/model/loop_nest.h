#pragma once
// The loops of a graph as pseudo-code: what each STAGE or STORE computes, over which ranges, and what it reads. For
// people: expressions are cut where they get long, and every line knows the nodes that it stands for.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/ir/uop.h"

namespace rangescope::viewer {

struct LoopLine {
  int indent = 0;
  std::string text;
  std::vector<uint32_t> keys;  // nodes, the one that the line is about first
};

struct LoopNest {
  std::vector<LoopLine> lines;
  bool cut = false;     // there is more
  bool ranges = false;  // the graph has ranges: before rangeify there are no loops to see
};

LoopNest loopNest(UOp root, size_t mostLines = 400);

}  // namespace rangescope::viewer
