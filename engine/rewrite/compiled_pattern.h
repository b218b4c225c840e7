#pragma once
// A pattern flattened into arrays, so that an attempt touches a few cache lines and allocates nothing.

#include <array>
#include <cstdint>
#include <vector>

#include "engine/rewrite/pattern.h"

namespace rangescope {

struct CompiledNode {
  OpSet ops;                     // what the node itself may be, all where the pattern does not say
  uint32_t dtypes = UINT32_MAX;  // bit a dtype
  bool deterministic = true;     // no alternative at or below: matching needs no way back
  Sources sources = Sources::Any;
  int8_t capture = -1;         // slot of the match
  uint32_t required = 0;       // sources that must be there
  uint32_t most = UINT32_MAX;  // sources that may be there
  uint32_t first_order = 0;    // into orders: permutation_count rows of `required` children each
  uint32_t order_count = 0;
  uint32_t alternatives = 0;  // of AnyOf
  const Arg* arg = nullptr;
  const std::vector<Arg>* tags = nullptr;
};

struct CompiledPattern {
  std::vector<CompiledNode> nodes;  // the root first
  std::vector<uint32_t> orders;
  std::array<int8_t, kCaptureCount> slot_of;  // of each name; -1: the pattern does not have it
  OpSet root_ops;
  OpSet early_reject;  // ops that must be among the direct sources of the root
};

// `pattern` must outlive the result. Refuses (by RS_CHECK) a pattern that the engine cannot match.
CompiledPattern compile(const Pat& pattern);

}  // namespace rangescope
