#include "engine/codegen/glsl.h"

namespace rangescope::codegen {

std::vector<PushConstant> push_constants(const KernelProgram&) {
  return {};
}

Result<std::string> render_glsl(const KernelProgram&, const GlslOptions&) {
  return tl::unexpected(Error{"GLSL is not rendered yet"});
}

}  // namespace rangescope::codegen
