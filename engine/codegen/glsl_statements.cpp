#include "engine/codegen/glsl_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <unordered_map>

#include "engine/codegen/axis.h"
#include "engine/codegen/glsl_alu.h"
#include "engine/codegen/glsl_types.h"
#include "engine/codegen/loops.h"
#include "engine/ir/error.h"
#include "engine/ir/text.h"

namespace rangescope::codegen {

namespace {

bool is_variable(UOp u) {
  return u.is(Op::PARAM) && u.addrspace() == AddrSpace::ALU;
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

class Statements {
 public:
  Statements(const KernelProgram& program, const GlslOptions& options)
      : program_(program), options_(options), loops_(plan_loops(program.linear, options.max_loop_iterations)) {}

  GlslStatements render() {
    count_uses();
    for (const UOp u : program_.linear) emit(u);
    GlslStatements out{std::move(body_), std::move(shared_), {}};
    for (const UOp p : params_) {
      const int64_t slot = p.arg().as<ParamArg>().slot;
      GlslBuffer b{p, text_of(p), {}};
      for (const size_t count : {2, 4})
        if (wide_views_.contains({slot, count})) b.views.push_back(count);
      out.buffers.push_back(std::move(b));
    }
    return out;
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
    line(fmt::format("{} {} = {};", type_of(u), name, glsl_unwrapped(text)));
    text_[u.id()] = name;
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
    const std::string at = i == 0 ? glsl_unwrapped(p.index) : fmt::format("{} + {}", p.index, i);
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
    line(fmt::format("{} {} = {};", type_of(u), name, glsl_unwrapped(src(u, 1))));
    line(fmt::format("if ({}) {} = {};", glsl_unwrapped(src(u, 2)), name, loaded(p)));
    text_[u.id()] = name;
  }
  void emit_store(UOp u) {
    const Place p = place(u.src(0));
    const std::string v = src(u, 1);
    if (p.count > 1 && has_view(p)) {
      line(fmt::format("{} = {};", wide_element(p), glsl_unwrapped(v)));
      return;
    }
    for (size_t i = 0; i < p.count; ++i) {
      const std::string one = p.count == 1 ? v : fmt::format("{}[{}]", v, i);
      line(fmt::format("{} = {};", element(p, i),
                       stored_as_byte(p.buffer) ? "uint8_t(" + one + " ? 1 : 0)" : glsl_unwrapped(one)));
    }
  }
  void emit_index(UOp u) {
    // an element of a vector is a value; one of a buffer is a place
    const UOp of = storage(u.src(0));
    if (of.in(OpSet{Op::PARAM, Op::BUFFER}) && !is_variable(of)) return;
    if (u.src_count() != 2) throw GraphError("an element of a vector has one index");
    text_[u.id()] = fmt::format("{}[{}]", src(u, 0), glsl_unwrapped(src(u, 1)));
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
    const auto& name = u.arg().as<std::string>();
    const char* source = name[0] == 'g'   ? "gl_WorkGroupID"
                         : name[0] == 'l' ? "gl_LocalInvocationID"
                                          : "gl_GlobalInvocationID";
    if (name.back() < '0' || name.back() > '2') throw GraphError("no launch dimension: " + name);
    line(fmt::format("{0} {1} = {0}({2}.{3});{4}", glsl_type(u.dtype()), name, source, "xyz"[name.back() - '0'],
                     options_.comments ? "  // < " + glsl_unwrapped(src(u, 0)) : ""));
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
    text_[u.id()] = name;
    const std::string what = options_.comments ? comment(u) : "", type = glsl_type(u.dtype());
    const auto number = [&](uint64_t n) { return glsl_literal(Scalar(static_cast<int64_t>(n)), u.dtype()); };
    const auto loop = [&](const char* how, const std::string& counter, const std::string& end,
                          const std::string& said) {
      open(fmt::format("{}for ({} {} = {}; {} < {}; ++{}) {{{}", how, type, counter, number(0), counter, end, counter,
                       said));
    };
    const auto unroll = loops_.unroll.find(u.id());
    if (unroll == loops_.unroll.end()) {
      loop("", name, src(u, 0), what);
      opened_.push_back(1);
      return;
    }
    // Drivers may end all loops after so many iterations; copies of the body count once.
    const auto copies = static_cast<uint64_t>(unroll->second), steps = most_steps(u);
    const bool constant = u.src(0).is_const() || (u.src(0).is(Op::CAST) && u.src(0).src(0).is_const());
    int opened = 1;
    if (copies >= steps) {
      loop("[[unroll]] ", name, number(steps), what);
    } else {
      loop("", name + "_from", number((steps + copies - 1) / copies), what);
      loop("[[unroll]] ", name + "_step", number(copies), "");
      line(fmt::format("{} {} = {}_from * {} + {}_step;", type, name, name, number(copies), name));
      opened = 2;
    }
    if (!constant || steps % copies != 0) {
      open(fmt::format("if ({} < {}) {{", name, src(u, 0)));
      ++opened;
    }
    opened_.push_back(opened);
  }
  // "  // R3: reduced over"
  static std::string comment(UOp u) {
    const std::string_view what = meaning(axis_type(u));
    return fmt::format("  // {}{}{}{}", axis_letter(axis_type(u)), range_str(u), what.empty() ? "" : ": ", what);
  }
  void open(const std::string& text) {
    line(text);
    ++indent_;
  }
  void close() {
    if (opened_.empty()) throw GraphError("a loop ends that has not begun");
    for (int i = 0; i < opened_.back(); ++i) {
      --indent_;
      line("}");
    }
    opened_.pop_back();
  }

  // ** values
  std::vector<std::string> operands(UOp u) const {
    std::vector<std::string> s;
    for (size_t i = 0; i < u.src_count(); ++i) s.push_back(src(u, i));
    return s;
  }
  std::string stack(UOp u) const {
    if (u.src_count() == 0) return "";
    if (u.src_count() == 1) return src(u, 0);
    std::string parts;
    for (size_t i = 0; i < u.src_count(); ++i) parts += (i > 0 ? ", " : "") + glsl_unwrapped(src(u, i));
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
        open(fmt::format("if ({}) {{", glsl_unwrapped(src(u, 0))));
        opened_.push_back(1);
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
        value(u, glsl_alu(u, operands(u)));
    }
  }

  void emit_param(UOp u) {
    if (is_variable(u)) {
      text_[u.id()] = glsl_identifier("var_", u.expr());
      return;
    }
    const int64_t slot = u.arg().as<ParamArg>().slot;
    const auto in = [&](const std::vector<int64_t>& v) { return std::ranges::find(v, slot) != v.end(); };
    const bool written = in(program_.outs), read = in(program_.ins);
    text_[u.id()] = std::string(written && read ? "inout" : written ? "out" : "in") + std::to_string(slot);
    params_.push_back(u);
  }

  const KernelProgram& program_;
  const GlslOptions& options_;
  const LoopPlan loops_;
  std::vector<int> opened_;  // braces that each open loop or IF takes
  std::unordered_map<uint32_t, std::string> text_;
  std::unordered_map<uint32_t, int> uses_, depth_;
  std::set<std::string> names_;
  std::set<std::pair<int64_t, size_t>> wide_views_;
  UOps params_;
  std::string body_, shared_;
  int indent_ = 1, next_ = 0;
};

}  // namespace

std::string glsl_identifier(const std::string& prefix, const std::string& name) {
  std::string s = prefix;
  for (const char c : name) s += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return s;
}

GlslStatements glsl_statements(const KernelProgram& program, const GlslOptions& options) {
  return Statements(program, options).render();
}

}  // namespace rangescope::codegen
