#pragma once
// Graphs, arguments and names as text, in the reference's notation (uop/render.py), so that what is read there and here
// looks the same. UOp::render is the whole expression; short_label is for a node in a picture.

#include <cstddef>
#include <span>
#include <string>

#include "engine/ir/uop.h"

namespace rangescope {

// The longest text that render() and pretty_print() make: sharing unfolds, so that a small graph can have an enormous
// text. Longer ones are refused.
inline constexpr size_t kMaxText = size_t{1} << 26;

// The node's formula without simplification. Linear in the length of the text.
std::string render_as_is(UOp u, size_t max_chars = kMaxText);
// The graph as nested constructor calls, one node a line; a node used twice is numbered and printed once.
std::string pretty_print(UOp root, size_t max_chars = kMaxText);

// One line about a node: its formula, with "..." for what lies too deep or beyond max_chars. Neither time nor memory
// depends on the size of the graph below.
std::string short_label(UOp u, size_t max_chars = 60);

// As Python prints the reference's objects: 'CPU', (1, 2), AxisType.LOOP, ParamArg(0, dtypes.float), ConstFloat(1.0).
std::string to_string(const Arg& arg);
std::string to_string(const Device& device);  // CPU, or (CPU:0, CPU:1); empty for none
std::string dtype_repr(DType dtype);          // dtypes.float: the reference's short alias

// Number of a range: its ids joined by '_', a negative one with an m in front: 0, 3_1, m1.
std::string range_str(UOp range);
// Numbers of several, ordered by argument: 0,1,3_1.
std::string multirange_str(std::span<const UOp> ranges);

}  // namespace rangescope
