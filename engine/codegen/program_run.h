#pragma once
// Code generation for a kernel of a file, with every pass and match on the way.

#include "engine/codegen/target.h"
#include "engine/ir/program.h"

namespace rangescope::codegen {

// Generates code for the kernel under program.root and sets passes, sink, linear, launch and error. The store is one of
// symbolic::make_store(). What the file said about these before is forgotten.
void generate_program(Program& program, const Target& target = {}, const Settings& settings = {});

}  // namespace rangescope::codegen
