#pragma once
// The body of a kernel's shader: its op list as statements.

#include <string>
#include <vector>

#include "engine/codegen/glsl.h"

namespace rangescope::codegen {

// A buffer that the statements use.
struct GlslBuffer {
  UOp param;
  std::string name;
  std::vector<size_t> views;  // also read or written as vectors of so many, by name_2 and name_4
};

struct GlslStatements {
  std::string body;    // of main()
  std::string shared;  // declarations of the workgroup's memory
  std::vector<GlslBuffer> buffers;
};

// Refuses (GraphError) an op or dtype that has no GLSL, by name.
GlslStatements glsl_statements(const KernelProgram& program, const GlslOptions& options);

// A name out of a program as an identifier.
std::string glsl_identifier(const std::string& prefix, const std::string& name);

}  // namespace rangescope::codegen
