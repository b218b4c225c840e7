#pragma once

#include "engine/ir/program.h"

namespace rangescope::symbolic {

// Simplifies the program's graph, whose store must come from make_store: fills in what simplification gives, bounds and
// text where they are defined, or the error.
void simplify_program(Program& program);

// The same for a program in a line of JSON, giving back such a line. An error is about the line itself.
Result<std::string> simplify_line(std::string_view line);

}  // namespace rangescope::symbolic
