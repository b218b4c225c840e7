#include "engine/runtime/shader_compiler.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <mutex>
#include <optional>
#include <shaderc/shaderc.hpp>

namespace rangescope::runtime {
namespace {

std::string_view line_of(std::string_view source, size_t number) {
  for (size_t line = 1; line < number; ++line) {
    const size_t end = source.find('\n');
    if (end == std::string_view::npos) return {};
    source.remove_prefix(end + 1);
  }
  return source.substr(0, source.find('\n'));
}

// The line number of a message "name:12: error: ...".
std::optional<size_t> line_number(std::string_view message, std::string_view name) {
  if (!message.starts_with(name)) return std::nullopt;
  message.remove_prefix(name.size());
  if (!message.starts_with(':')) return std::nullopt;
  message.remove_prefix(1);
  size_t number = 0;
  const auto parsed = std::from_chars(message.data(), message.data() + message.size(), number);
  if (parsed.ec != std::errc{} || number == 0) return std::nullopt;
  return number;
}

std::string with_source_lines(std::string_view messages, std::string_view name, std::string_view source) {
  std::string text;
  while (!messages.empty()) {
    const size_t end = messages.find('\n');
    const std::string_view message = messages.substr(0, end);
    messages.remove_prefix(end == std::string_view::npos ? messages.size() : end + 1);
    if (message.empty()) continue;
    text += fmt::format("\n{}", message);
    if (const auto number = line_number(message, name))
      text += fmt::format("\n  {} | {}", *number, line_of(source, *number));
  }
  return text;
}

}  // namespace

struct ShaderCompiler::State {
  State() {
    options.SetTargetEnvironment(shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_2);
    options.SetTargetSpirv(shaderc_spirv_version_1_5);
    options.SetOptimizationLevel(shaderc_optimization_level_zero);
    options.SetSourceLanguage(shaderc_source_language_glsl);
  }

  std::mutex mutex;
  shaderc::Compiler compiler;
  shaderc::CompileOptions options;
};

ShaderCompiler::ShaderCompiler() : state_(std::make_unique<State>()) {}
ShaderCompiler::~ShaderCompiler() = default;

ShaderCompiler& ShaderCompiler::shared() {
  static ShaderCompiler compiler;
  return compiler;
}

Result<CompiledShader> ShaderCompiler::compile(std::string_view name, std::string_view glsl) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->compiler.IsValid()) return tl::unexpected(Error{"the shader compiler (shaderc) could not start"});
  const auto begin = std::chrono::steady_clock::now();
  const std::string file(name);
  const shaderc::SpvCompilationResult result = state_->compiler.CompileGlslToSpv(
      glsl.data(), glsl.size(), shaderc_compute_shader, file.c_str(), "main", state_->options);
  const auto end = std::chrono::steady_clock::now();
  if (result.GetCompilationStatus() != shaderc_compilation_status_success)
    return tl::unexpected(Error{fmt::format("the GLSL of kernel \"{}\" does not compile:{}", name,
                                            with_source_lines(result.GetErrorMessage(), name, glsl))});
  CompiledShader shader;
  shader.spirv.assign(result.cbegin(), result.cend());
  shader.compile_ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count());
  return shader;
}

}  // namespace rangescope::runtime
