#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/error.h"

namespace rangescope::runtime {

struct CompiledShader {
  std::vector<uint32_t> spirv;
  uint64_t compile_ns = 0;
};

// GLSL compute shaders to SPIR-V 1.5 (Vulkan 1.2), in process and unoptimised: drivers optimise themselves, and
// shaderc's optimiser costs up to 230 ms a kernel and gains nothing here. Needs no device. Any thread.
class ShaderCompiler {
 public:
  // The process's one compiler: the first kernel costs about 100 ms of set-up, the next ones less than one.
  static ShaderCompiler& shared();

  ~ShaderCompiler();
  ShaderCompiler(const ShaderCompiler&) = delete;
  ShaderCompiler& operator=(const ShaderCompiler&) = delete;

  // An error quotes the offending line of the source under each of the compiler's messages.
  Result<CompiledShader> compile(std::string_view name, std::string_view glsl);

 private:
  struct State;
  ShaderCompiler();

  std::unique_ptr<State> state_;
};

}  // namespace rangescope::runtime
