#pragma once
// A number for each node of a trace that is the same for equal graphs of any trace. 8 bytes a node.

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/trace/reader.h"

namespace rangescope::trace {

// [n] for node n; [0] is 0. Equal: same op, dtype, argument, tag and equal sources.
// `progress` as in DiffOptions.
Result<std::vector<uint64_t>> structure_of_nodes(Reader& reader, bool ignore_slots = false,
                                                 const std::function<bool(double)>& progress = {});

}  // namespace rangescope::trace
