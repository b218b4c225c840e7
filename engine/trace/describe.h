#pragma once
// Nodes, steps and passes in a few words each: for lists of them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/trace/reader.h"

namespace rangescope::trace {

// "REDUCE float32 (64, 64)  ADD": op, dtype, shape, argument. Bounded, whatever stands below the node.
std::string describe(UOp u);
// Sizes of its shape; a symbolic one is -1. Empty optional: it has no shape, or none that holds together.
std::optional<std::vector<int64_t>> sizes_of(UOp u);
// "match 3 of apply rangeify (pass 12)", "input of ...", "end of ...".
std::string describe_step(const Reader& reader, int64_t pass, int64_t step);
// A text on one line of at most this many characters.
std::string one_line(std::string_view text, size_t most);

// Of a kernel's name: the reference colours it for terminals. Also where the colours are written out, as in an
// argument.
std::string without_colors(std::string_view text);

}  // namespace rangescope::trace
