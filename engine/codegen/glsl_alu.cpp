#include "engine/codegen/glsl_alu.h"

#include <fmt/format.h>

#include "engine/codegen/glsl_types.h"
#include "engine/ir/error.h"

namespace rangescope::codegen {

namespace {

using Operands = std::span<const std::string>;

std::string binary(Operands s, const char* op) {
  return fmt::format("({} {} {})", s[0], op, s[1]);
}
std::string unary(Operands s, const char* f) {
  return fmt::format("{}({})", f, glsl_unwrapped(s[0]));
}
std::string function_of_float(UOp u, Operands s, const char* f) {
  // GLSL has none of float64: see glsl_float64.h
  if (u.dtype() == DType::float64) return unary(s, u.is(Op::EXP2) ? "exp2_float64" : "log2_float64");
  return unary(s, f);
}

}  // namespace

std::string glsl_unwrapped(const std::string& t) {
  if (t.size() < 2 || t.front() != '(' || t.back() != ')') return t;
  int depth = 0;
  for (size_t i = 0; i < t.size(); ++i) {
    depth += t[i] == '(' ? 1 : t[i] == ')' ? -1 : 0;
    if (depth == 0 && i + 1 < t.size()) return t;
  }
  return t.substr(1, t.size() - 2);
}

std::string glsl_alu(UOp u, std::span<const std::string> s) {
  const bool logic = u.dtype() == DType::bool_;
  const bool of_bools = u.src(0).dtype() == DType::bool_;
  switch (u.op()) {
    case Op::EXP2:
      return function_of_float(u, s, "exp2");
    case Op::LOG2:
      return function_of_float(u, s, "log2");
    case Op::SIN:
      if (u.dtype() == DType::float64) throw GraphError("GLSL has no SIN of float64");
      return unary(s, "sin");
    case Op::SQRT:
      return unary(s, "sqrt");
    case Op::TRUNC:
      return is_float(u.dtype()) ? unary(s, "trunc") : s[0];
    case Op::RECIPROCAL:
      return fmt::format("({} / {})", glsl_literal(Scalar(1.0), u.dtype()), s[0]);
    case Op::NEG:
      return logic ? fmt::format("(!{})", s[0]) : fmt::format("(-{})", s[0]);
    case Op::ADD:
      return binary(s, logic ? "||" : "+");
    case Op::SUB:
      return binary(s, logic ? "!=" : "-");
    case Op::MUL:
      return binary(s, logic ? "&&" : "*");
    case Op::FDIV:
    case Op::CDIV:
      return binary(s, "/");
    case Op::CMOD:
      if (is_unsigned(u.dtype())) return binary(s, "%");
      // GLSL's % is undefined for negative operands
      return fmt::format("({0} - {0} / {1} * {1})", s[0], s[1]);
    case Op::SHL:
      return binary(s, "<<");
    case Op::SHR:
      return binary(s, ">>");
    case Op::AND:
      return binary(s, logic ? "&&" : "&");
    case Op::OR:
      return binary(s, logic ? "||" : "|");
    case Op::XOR:
      return binary(s, logic ? "!=" : "^");
    case Op::CMPLT:
      return of_bools ? fmt::format("(!{} && {})", s[0], s[1]) : binary(s, "<");
    case Op::CMPNE:
      return binary(s, "!=");
    case Op::CMPEQ:
      return binary(s, "==");
    case Op::MAX:
      return fmt::format("max({}, {})", s[0], s[1]);
    case Op::MULACC:
      return fmt::format("({} * {} + {})", s[0], s[1], s[2]);
    case Op::WHERE:
      return fmt::format("({} ? {} : {})", s[0], s[1], s[2]);
    default:
      throw GraphError(fmt::format("{} has no GLSL", op_name(u.op())));
  }
}

}  // namespace rangescope::codegen
