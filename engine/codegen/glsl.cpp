#include "engine/codegen/glsl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "engine/codegen/axis.h"
#include "engine/codegen/glsl_types.h"
#include "engine/ir/dim.h"
#include "engine/ir/error.h"

namespace rangescope::codegen {

namespace {

bool is_variable(UOp u) {
  return u.is(Op::PARAM) && u.addrspace() == AddrSpace::ALU;
}

std::string identifier(const std::string& prefix, const std::string& name) {
  std::string s = prefix;
  for (const char c : name) s += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return s;
}

std::string joined(const std::vector<int64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, " x "));
}

const char* meaning(AxisType t) {
  switch (t) {
    case AxisType::REDUCE:
      return "reduced over";
    case AxisType::GROUP_REDUCE:
      return "reduced over by the workgroup";
    case AxisType::LOOP:
    case AxisType::WEAK:
      return "of the output";
    default:
      return "";
  }
}

class Renderer {
 public:
  Renderer(const KernelProgram& program, const GlslOptions& options) : program_(program), options_(options) {}

  std::string render() {
    count_uses();
    for (const UOp u : program_.linear) emit(u);
    return header() + body_ + "}\n";
  }

 private:
  // ** what is rendered in place
  // How often and where each op is used: one that is used once, in the loop it stands in, is written where it is used.
  void count_uses() {
    int depth = 0;
    for (const UOp u : program_.linear) {
      if (u.in(OpSet{Op::END, Op::ENDIF})) --depth;
      depth_[u.id()] = depth;
      for (const UOp s : u.srcs()) {
        ++uses_[s.id()];
        if (depth_[s.id()] != depth) uses_[s.id()] += 2;
      }
      if (u.in(OpSet{Op::RANGE, Op::IF})) ++depth;
    }
  }

  // ** text
  void line(const std::string& text) {
    body_.append(static_cast<size_t>(indent_) * 2, ' ');
    body_ += text;
    body_ += '\n';
  }
  std::string fresh(const char* prefix) { return prefix + std::to_string(next_++); }
  const std::string& text_of(UOp u) const {
    const auto it = text_.find(u.id());
    if (it == text_.end()) throw GraphError(fmt::format("{} is used before it is computed", op_name(u.op())));
    return it->second;
  }
  std::string src(UOp u, size_t i) const { return text_of(u.src(i)); }
  static size_t width(UOp u) {
    const Shape* s = u.shape_or_null();
    return s == nullptr || s->empty() ? 1 : static_cast<size_t>(u.max_numel());
  }
  static std::string type_of(UOp u) {
    return width(u) == 1 ? glsl_type(u.dtype()) : glsl_vector_type(u.dtype(), width(u));
  }
  // Names the value, or keeps it for the one place where it is used.
  void value(UOp u, const std::string& text) {
    if (uses_[u.id()] <= 1 && text.size() < 60) {
      text_[u.id()] = text;
      return;
    }
    name_value(u, text);
  }
  void name_value(UOp u, const std::string& text) {
    const std::string name = fresh("v");
    line(fmt::format("{} {} = {};", type_of(u), name, unwrapped(text)));
    text_[u.id()] = name;
  }
  // Without parentheses around the whole.
  static std::string unwrapped(const std::string& t) {
    if (t.size() < 2 || t.front() != '(' || t.back() != ')') return t;
    int depth = 0;
    for (size_t i = 0; i < t.size(); ++i) {
      depth += t[i] == '(' ? 1 : t[i] == ')' ? -1 : 0;
      if (depth == 0 && i + 1 < t.size()) return t;
    }
    return t.substr(1, t.size() - 2);
  }

  // ** memory
  struct Place {
    UOp buffer;
    std::string index;
    size_t count;
  };
  static UOp storage(UOp u) {
    while (u.in(OpSet{Op::AFTER, Op::CAST, Op::RESHAPE})) u = u.src(0);
    return u;
  }
  Place place(UOp access) const {
    if (!access.in(OpSet{Op::INDEX, Op::SHRINK}) || access.src_count() < 2)
      throw GraphError(fmt::format("a load or store of {}, not of an element", op_name(access.op())));
    const UOp buffer = storage(access.src(0));
    if (!buffer.in(OpSet{Op::PARAM, Op::BUFFER})) throw GraphError("a load or store of what is no buffer");
    const size_t count = access.is(Op::SHRINK) ? width(access) : 1;
    return {buffer, src(access, 1), count};
  }
  const std::string& buffer_name(UOp b) const { return text_of(b); }
  std::string element(const Place& p, size_t i) const {
    const std::string at = i == 0 ? unwrapped(p.index) : fmt::format("{} + {}", p.index, i);
    return fmt::format("{}[{}]", buffer_name(p.buffer), at);
  }
  static bool stored_as_byte(UOp buffer) { return buffer.is(Op::PARAM) && buffer.dtype() == DType::bool_; }
  // A wide access to a parameter is one access to a view of it as vectors.
  std::string wide_element(const Place& p) {
    wide_views_.insert({p.buffer.arg().as<ParamArg>().slot, p.count});
    const bool number = std::ranges::all_of(p.index, [](unsigned char c) { return std::isdigit(c) != 0; });
    const std::string at = number ? std::to_string(std::stoll(p.index) / static_cast<int64_t>(p.count))
                                  : fmt::format("{} >> {}", p.index, p.count == 4 ? 2 : 1);
    return fmt::format("{}_{}[{}]", buffer_name(p.buffer), p.count, at);
  }
  static bool has_view(const Place& p) {
    return p.buffer.is(Op::PARAM) && (p.count == 2 || p.count == 4) && !stored_as_byte(p.buffer);
  }
  std::string loaded(const Place& p) {
    if (p.count > 1 && has_view(p)) return wide_element(p);
    std::string parts;
    for (size_t i = 0; i < p.count; ++i) {
      const std::string e = element(p, i);
      parts += (i > 0 ? ", " : "") + (stored_as_byte(p.buffer) ? "(" + e + " != uint8_t(0))" : e);
    }
    return p.count == 1 ? parts : glsl_vector_type(p.buffer.dtype(), p.count) + "(" + parts + ")";
  }
  void emit_load(UOp u) {
    const Place p = place(u.src(0));
    if (u.src_count() == 1) {
      name_value(u, loaded(p));
      return;
    }
    const std::string name = fresh("v");
    line(fmt::format("{} {} = {};", type_of(u), name, unwrapped(src(u, 1))));
    line(fmt::format("if ({}) {} = {};", unwrapped(src(u, 2)), name, loaded(p)));
    text_[u.id()] = name;
  }
  void emit_store(UOp u) {
    const Place p = place(u.src(0));
    const std::string v = src(u, 1);
    if (p.count > 1 && has_view(p)) {
      line(fmt::format("{} = {};", wide_element(p), unwrapped(v)));
      return;
    }
    for (size_t i = 0; i < p.count; ++i) {
      const std::string one = p.count == 1 ? v : fmt::format("{}[{}]", v, i);
      line(fmt::format("{} = {};", element(p, i),
                       stored_as_byte(p.buffer) ? "uint8_t(" + one + " ? 1 : 0)" : unwrapped(one)));
    }
  }
  void emit_index(UOp u) {
    // an element of a vector is a value; one of a buffer is a place
    const UOp of = storage(u.src(0));
    if (of.in(OpSet{Op::PARAM, Op::BUFFER}) && !is_variable(of)) return;
    if (u.src_count() != 2) throw GraphError("an element of a vector has one index");
    text_[u.id()] = fmt::format("{}[{}]", src(u, 0), unwrapped(src(u, 1)));
  }
  void emit_buffer(UOp u) {
    const bool local = u.addrspace() == AddrSpace::LOCAL;
    const std::string name = (local ? "shared" : "acc") + std::to_string(u.arg().as<ParamArg>().slot);
    text_[u.id()] = name;
    const std::string text = fmt::format("{} {}[{}];", glsl_type(u.dtype()), name, u.max_numel());
    if (local)
      shared_ += "shared " + text + "\n";
    else
      line(text);
  }

  // ** launch and loops
  void emit_special(UOp u) {
    const std::string& name = u.arg().as<std::string>();
    const char* source = name[0] == 'g'   ? "gl_WorkGroupID"
                         : name[0] == 'l' ? "gl_LocalInvocationID"
                                          : "gl_GlobalInvocationID";
    if (name.back() < '0' || name.back() > '2') throw GraphError("no launch dimension: " + name);
    line(fmt::format("{0} {1} = {0}({2}.{3});{4}", glsl_type(u.dtype()), name, source, "xyz"[name.back() - '0'],
                     options_.comments ? "  // < " + unwrapped(src(u, 0)) : ""));
    text_[u.id()] = name;
  }
  void emit_range(UOp u) {
    if (u.dtype() == DType::void_) throw GraphError("a loop without a count has no GLSL yet");
    std::string name = "r";
    const Arg::Tuple& ids = u.arg().as_tuple();
    for (size_t i = 0; i + 1 < ids.size(); ++i)
      name += (i > 0 ? "_" : "") +
              (ids[i].as_int64() < 0 ? "m" + std::to_string(-ids[i].as_int64()) : std::to_string(ids[i].as_int64()));
    while (!names_.insert(name).second) name += "_";
    const std::string_view what = meaning(axis_type(u));
    line(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{{4}", glsl_type(u.dtype()), name,
                     glsl_literal(Scalar(0), u.dtype()), src(u, 0),
                     options_.comments && !what.empty() ? fmt::format("  // {}", what) : ""));
    ++indent_;
    text_[u.id()] = name;
  }
  void close() {
    --indent_;
    line("}");
  }

  // ** arithmetic
  std::string binary(UOp u, const char* op) const { return fmt::format("({} {} {})", src(u, 0), op, src(u, 1)); }
  std::string unary(UOp u, const char* f) const { return fmt::format("{}({})", f, unwrapped(src(u, 0))); }
  std::string function_of_float(UOp u, const char* f) const {
    if (u.dtype() == DType::float64 && (u.is(Op::EXP2) || u.is(Op::LOG2)))
      throw GraphError(fmt::format("GLSL has no {} of float64", op_name(u.op())));
    return unary(u, f);
  }
  std::string alu(UOp u) const {
    const bool logic = u.dtype() == DType::bool_;
    const bool of_bools = u.src(0).dtype() == DType::bool_;
    switch (u.op()) {
      case Op::EXP2:
        return function_of_float(u, "exp2");
      case Op::LOG2:
        return function_of_float(u, "log2");
      case Op::SIN:
        return function_of_float(u, "sin");
      case Op::SQRT:
        return unary(u, "sqrt");
      case Op::TRUNC:
        return is_float(u.dtype()) ? unary(u, "trunc") : src(u, 0);
      case Op::RECIPROCAL:
        return fmt::format("({} / {})", glsl_literal(Scalar(1.0), u.dtype()), src(u, 0));
      case Op::NEG:
        return logic ? fmt::format("(!{})", src(u, 0)) : fmt::format("(-{})", src(u, 0));
      case Op::ADD:
        return binary(u, logic ? "||" : "+");
      case Op::SUB:
        return binary(u, logic ? "!=" : "-");
      case Op::MUL:
        return binary(u, logic ? "&&" : "*");
      case Op::FDIV:
      case Op::CDIV:
        return binary(u, "/");
      case Op::CMOD:
        if (is_unsigned(u.dtype())) return binary(u, "%");
        // GLSL's % is undefined for negative operands
        return fmt::format("({0} - {0} / {1} * {1})", src(u, 0), src(u, 1));
      case Op::SHL:
        return binary(u, "<<");
      case Op::SHR:
        return binary(u, ">>");
      case Op::AND:
        return binary(u, logic ? "&&" : "&");
      case Op::OR:
        return binary(u, logic ? "||" : "|");
      case Op::XOR:
        return binary(u, logic ? "!=" : "^");
      case Op::CMPLT:
        return of_bools ? fmt::format("(!{} && {})", src(u, 0), src(u, 1)) : binary(u, "<");
      case Op::CMPNE:
        return binary(u, "!=");
      case Op::CMPEQ:
        return binary(u, "==");
      case Op::MAX:
        return fmt::format("max({}, {})", src(u, 0), src(u, 1));
      case Op::MULACC:
        return fmt::format("({} * {} + {})", src(u, 0), src(u, 1), src(u, 2));
      case Op::WHERE:
        return fmt::format("({} ? {} : {})", src(u, 0), src(u, 1), src(u, 2));
      default:
        throw GraphError(fmt::format("{} has no GLSL", op_name(u.op())));
    }
  }
  std::string stack(UOp u) const {
    if (u.src_count() == 0) return "";
    if (u.src_count() == 1) return src(u, 0);
    std::string parts;
    for (size_t i = 0; i < u.src_count(); ++i) parts += (i > 0 ? ", " : "") + unwrapped(src(u, i));
    return glsl_vector_type(u.dtype(), u.src_count()) + "(" + parts + ")";
  }
  void emit_cast(UOp u) {
    const UOp s = u.src(0);
    if (s.is_const()) {
      text_[u.id()] = glsl_literal(s.val(), u.dtype());
    } else if (u.in(OpSet{Op::CAST}) && s.in(OpSet{Op::INDEX, Op::SHRINK, Op::AFTER}) && !text_.contains(s.id())) {
      return;  // of a place
    } else if (width(u) > 1) {
      throw GraphError(fmt::format("a {} of a vector has no GLSL", op_name(u.op())));
    } else {
      value(u, u.is(Op::CAST) ? glsl_cast(text_of(s), s.dtype(), u.dtype())
                              : glsl_bitcast(text_of(s), s.dtype(), u.dtype()));
    }
  }

  void emit(UOp u) {
    switch (u.op()) {
      case Op::CONST:
        text_[u.id()] = u.is_weak() ? glsl_literal(u.val(), strong_dtype(u.dtype())) : glsl_literal(u.val(), u.dtype());
        return;
      case Op::PARAM:
        emit_param(u);
        return;
      case Op::BUFFER:
        emit_buffer(u);
        return;
      case Op::SPECIAL:
        emit_special(u);
        return;
      case Op::RANGE:
        emit_range(u);
        return;
      case Op::IF:
        line(fmt::format("if ({}) {{", unwrapped(src(u, 0))));
        ++indent_;
        return;
      case Op::END:
      case Op::ENDIF:
        close();
        return;
      case Op::BARRIER:
        line("memoryBarrierShared();");
        line("barrier();");
        return;
      case Op::INDEX:
        emit_index(u);
        return;
      case Op::LOAD:
        emit_load(u);
        return;
      case Op::STORE:
        emit_store(u);
        return;
      case Op::CAST:
      case Op::BITCAST:
        emit_cast(u);
        return;
      case Op::STACK:
        if (u.src_count() > 0 && u.dtype() != DType::void_) value(u, stack(u));
        return;
      case Op::SHRINK:
      case Op::AFTER:
      case Op::GROUP:
      case Op::SINK:
      case Op::NOOP:
        return;
      default:
        if (!u.in(groups::ALU)) throw GraphError(fmt::format("{} has no GLSL", op_name(u.op())));
        if (width(u) > 1) throw GraphError(fmt::format("{} of vectors has no GLSL", op_name(u.op())));
        value(u, alu(u));
    }
  }

  // ** declarations
  void emit_param(UOp u) {
    if (is_variable(u)) {
      text_[u.id()] = identifier("var_", u.expr());
      return;
    }
    const int64_t slot = u.arg().as<ParamArg>().slot;
    const auto in = [&](const std::vector<int64_t>& v) { return std::ranges::find(v, slot) != v.end(); };
    const bool written = in(program_.outs), read = in(program_.ins);
    text_[u.id()] = std::string(written && read ? "inout" : written ? "out" : "in") + std::to_string(slot);
    params_.push_back(u);
  }

  std::string block(UOp param, size_t binding, size_t count) const {
    const int64_t slot = param.arg().as<ParamArg>().slot;
    const auto in = [&](const std::vector<int64_t>& v) { return std::ranges::find(v, slot) != v.end(); };
    const std::string& name = text_of(param);
    const std::string view = count == 1 ? name : fmt::format("{}_{}", name, count);
    const std::string type = count == 1 ? glsl_storage_type(param.dtype()) : glsl_vector_type(param.dtype(), count);
    return fmt::format("layout(std430, set = 0, binding = {}) {}buffer block_{} {{ {} {}[]; }};\n", binding,
                       in(program_.outs) ? "" : "readonly ", view, type, view);
  }

  std::string size_text(const Dim& d) const { return d.is_int() ? std::to_string(d.value) : d.sym.render(); }

  std::string header() const {
    std::string out = "#version 460\n";
    out += "#extension GL_EXT_shader_explicit_arithmetic_types : require\n";
    out += "#extension GL_EXT_shader_8bit_storage : require\n#extension GL_EXT_shader_16bit_storage : require\n";
    if (options_.comments) {
      out += fmt::format("\n// kernel {}\n", plain_name(program_.name));
      for (const UOp p : params_)
        out += fmt::format("//   {:8} {}[{}]\n", text_of(p), dtype_name(p.dtype()), joined(p.max_shape()));
      out += fmt::format("//   launch   {} x {} x {} workgroups\n", size_text(program_.global_size[0]),
                         size_text(program_.global_size[1]), size_text(program_.global_size[2]));
    }
    std::array<int64_t, 3> local{1, 1, 1};
    for (size_t i = 0; i < 3 && program_.local_size; ++i) {
      const Dim& d = (*program_.local_size)[i];
      if (!d.is_int()) throw GraphError("a workgroup of symbolic size has no GLSL");
      local[i] = d.value;
    }
    out += fmt::format("\nlayout(local_size_x = {}, local_size_y = {}, local_size_z = {}) in;\n", local[0], local[1],
                       local[2]);
    for (size_t b = 0; b < program_.globals.size(); ++b) {
      const auto p =
          std::ranges::find_if(params_, [&](UOp u) { return u.arg().as<ParamArg>().slot == program_.globals[b]; });
      if (p == params_.end()) continue;
      out += block(*p, b, 1);
      for (const size_t count : {2, 4})
        if (wide_views_.contains({program_.globals[b], count})) out += block(*p, b, count);
    }
    if (const std::vector<PushConstant> constants = push_constants(program_); !constants.empty()) {
      out += "layout(push_constant) uniform Variables {\n";
      for (const PushConstant& c : constants)
        out += fmt::format("  layout(offset = {}) {} {};\n", c.offset, glsl_type(c.variable.dtype()),
                           identifier("var_", c.variable.expr()));
      out += "};\n";
    }
    return out + shared_ + "\nvoid main() {\n";
  }

  const KernelProgram& program_;
  const GlslOptions& options_;
  std::unordered_map<uint32_t, std::string> text_;
  std::unordered_map<uint32_t, int> uses_, depth_;
  std::set<std::string> names_;
  std::set<std::pair<int64_t, size_t>> wide_views_;
  UOps params_;
  std::string body_, shared_;
  int indent_ = 1, next_ = 0;
};

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
    return Renderer(program, options).render();
  } catch (const GraphError& e) {
    return tl::unexpected(Error{"kernel " + plain_name(program.name) + ": " + e.message()});
  } catch (const std::out_of_range&) {
    return tl::unexpected(Error{"kernel " + plain_name(program.name) + ": an op has too few sources"});
  }
}

}  // namespace rangescope::codegen
