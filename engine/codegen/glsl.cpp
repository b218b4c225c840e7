// A shader around the statements of a kernel: what stands above main().

#include "engine/codegen/glsl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "engine/codegen/glsl_float64.h"
#include "engine/codegen/glsl_statements.h"
#include "engine/codegen/glsl_types.h"
#include "engine/ir/dim.h"
#include "engine/ir/error.h"

namespace rangescope::codegen {

namespace {

std::string joined(const std::vector<int64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, " x "));
}

std::string size_text(const Dim& d) {
  return d.is_int() ? std::to_string(d.value) : d.sym.render();
}

// `count` 1: the buffer itself; else its view as vectors.
std::string block(const KernelProgram& program, const GlslBuffer& buffer, size_t binding, size_t count) {
  const UOp param = buffer.param;
  const bool written = std::ranges::find(program.outs, param.arg().as<ParamArg>().slot) != program.outs.end();
  const std::string view = count == 1 ? buffer.name : fmt::format("{}_{}", buffer.name, count);
  const std::string type = count == 1 ? glsl_storage_type(param.dtype()) : glsl_vector_type(param.dtype(), count);
  return fmt::format("layout(std430, set = 0, binding = {}) {}buffer block_{} {{ {} {}[]; }};\n", binding,
                     written ? "" : "readonly ", view, type, view);
}

std::string description(const KernelProgram& program, const GlslStatements& statements) {
  std::string out = fmt::format("\n// kernel {}\n", plain_name(program.name));
  for (const GlslBuffer& b : statements.buffers)
    out += fmt::format("//   {:8} {}[{}]\n", b.name, dtype_name(b.param.dtype()), joined(b.param.max_shape()));
  return out + fmt::format("//   launch   {} x {} x {} workgroups\n", size_text(program.global_size[0]),
                           size_text(program.global_size[1]), size_text(program.global_size[2]));
}

std::string workgroup(const KernelProgram& program) {
  std::array<int64_t, 3> local{1, 1, 1};
  for (size_t i = 0; i < 3 && program.local_size; ++i) {
    const Dim& d = (*program.local_size)[i];
    if (!d.is_int()) throw GraphError("a workgroup of symbolic size has no GLSL");
    local[i] = d.value;
  }
  return fmt::format("\nlayout(local_size_x = {}, local_size_y = {}, local_size_z = {}) in;\n", local[0], local[1],
                     local[2]);
}

std::string interface(const KernelProgram& program, const GlslStatements& statements) {
  std::string out;
  for (size_t i = 0; i < program.globals.size(); ++i) {
    const auto b = std::ranges::find_if(statements.buffers, [&](const GlslBuffer& buffer) {
      return buffer.param.arg().as<ParamArg>().slot == program.globals[i];
    });
    if (b == statements.buffers.end()) continue;
    out += block(program, *b, i, 1);
    for (const size_t count : b->views) out += block(program, *b, i, count);
  }
  const std::vector<PushConstant> constants = push_constants(program);
  if (constants.empty()) return out;
  out += "layout(push_constant) uniform Variables {\n";
  for (const PushConstant& c : constants)
    out += fmt::format("  layout(offset = {}) {} {};\n", c.offset, glsl_type(c.variable.dtype()),
                       glsl_identifier("var_", c.variable.expr()));
  return out + "};\n";
}

std::string header(const KernelProgram& program, const GlslOptions& options, const GlslStatements& statements) {
  std::string out = "#version 460\n";
  out += "#extension GL_EXT_shader_explicit_arithmetic_types : require\n";
  out += "#extension GL_EXT_shader_8bit_storage : require\n#extension GL_EXT_shader_16bit_storage : require\n";
  if (statements.body.find("[[unroll]]") != std::string::npos)
    out += "#extension GL_EXT_control_flow_attributes : require\n";
  if (options.comments) out += description(program, statements);
  out += workgroup(program) + interface(program, statements) + statements.shared;
  return out + glsl_float64_functions(statements.body) + "\nvoid main() {\n";
}

}  // namespace

std::vector<PushConstant> push_constants(const KernelProgram& program) {
  std::vector<PushConstant> r;
  uint32_t offset = 0;
  for (const UOp v : program.vars) {
    const uint32_t size = itemsize(v.dtype()) > 4 ? 8 : 4;
    offset = (offset + size - 1) / size * size;
    r.push_back({v, offset, size});
    offset += size;
  }
  return r;
}

Result<std::string> render_glsl(const KernelProgram& program, const GlslOptions& options) {
  try {
    const GlslStatements statements = glsl_statements(program, options);
    return header(program, options, statements) + statements.body + "}\n";
  } catch (const GraphError& e) {
    return tl::unexpected(Error{"kernel " + plain_name(program.name) + ": " + e.message()});
  } catch (const std::out_of_range&) {
    return tl::unexpected(Error{"kernel " + plain_name(program.name) + ": an op has too few sources"});
  }
}

}  // namespace rangescope::codegen
