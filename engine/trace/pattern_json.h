#pragma once
// A rule's pattern as JSON: how the trace stores rules as data, for a viewer that does not link the passes.
//   {"ops": [..], "dtypes": [..], "arg": .., "tags": [..], "name": "x", "sources": "exact|permuted|repeated|any_of",
//   "any_length": true,
//    "src": [patterns]}
// What does not constrain is left out.

#include <string>

#include "engine/rewrite/pattern.h"

namespace rangescope::trace {

std::string pattern_json(const Pat& pattern);

}  // namespace rangescope::trace
