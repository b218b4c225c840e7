#pragma once
// Whether a node is strictly below another, asked many times about one graph. Positions in topological order bound each
// search, and what is learned about one needle is kept until another is asked for: ask needle by needle.

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/ir/uop.h"

namespace rangescope::schedule {

class Reachability {
 public:
  explicit Reachability(UOp root);

  // `needle` is below `top` (and is not it). Both are nodes of the graph.
  bool contains(UOp top, UOp needle);

 private:
  enum class Answer : uint8_t { Unknown, No, Yes };

  uint32_t position(UOp u) const;
  Answer known(UOp u) const;

  std::vector<uint32_t> position_;  // by node id, from 1; 0: not in the graph
  std::vector<Answer> answers_;     // by position
  std::vector<uint32_t> answered_;
  UOp needle_;
};

}  // namespace rangescope::schedule
