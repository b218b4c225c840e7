#pragma once
// A kernel with other sizes: the extents of its loops, as if the program that it comes from had other shapes.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "engine/ir/error.h"
#include "engine/ir/uop.h"

namespace rangescope::app {

// By name: "r0", a range of the AST with its number, or the name of a variable.
using Sizes = std::map<std::string, int64_t>;

// "r0=128", "r0=128 n=5".
Result<Sizes> read_sizes(std::string_view text);

// The AST with these extents of its ranges. Buffers lie row by row: what was as far apart as a whole range is as far
// apart as the new extent, and buffers take as many elements as are then reached. Constants that stand for a size, as
// in a mean, stay as they are. Sizes of variables are left to the launch. Refused by name: what the kernel does not
// have, and ranges that stand in an index other than as a multiple.
Result<UOp> with_sizes(UOp ast, const Sizes& sizes);

}  // namespace rangescope::app
