#pragma once
// Why a pattern matches a node, or at which constraint it fails. Slow and plain, for people: the driver's matcher
// (matcher.h) is compiled and says only yes or no.

#include <string>
#include <utility>
#include <vector>

#include "engine/ir/uop.h"
#include "engine/rewrite/pattern.h"

namespace rangescope {

struct Explanation {
  bool matches = false;
  std::vector<std::pair<CaptureId, UOp>> captures;  // where it matches: what the names are bound to
  // Where it does not: how far the best attempt came.
  std::string place;   // "the node itself", "source 1", "source 0 of source 1"
  std::string reason;  // "is ADD, not MUL or SUB"
  UOp node;            // at that place; null where there is none
};

Explanation explain(const Pat& pattern, UOp u);
// In one sentence.
std::string to_string(const Explanation& explanation);

}  // namespace rangescope
