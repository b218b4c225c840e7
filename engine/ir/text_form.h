#pragma once
// How an op's formula is put together from those of its sources, as one description for the full text and the label.

#include <optional>
#include <string>
#include <string_view>

#include "engine/ir/text.h"
#include "engine/ir/uop.h"

namespace rangescope::text {

constexpr std::string_view operator_symbol(Op op) {
  switch (op) {
    case Op::ADD:
      return "+";
    case Op::SUB:
      return "-";
    case Op::FLOORDIV:
      return "//";
    case Op::FLOORMOD:
      return "%";
    case Op::SHL:
      return "<<";
    case Op::SHR:
      return ">>";
    case Op::MUL:
      return "*";
    case Op::CMPLT:
      return "<";
    case Op::CMPNE:
      return "!=";
    case Op::AND:
      return "&";
    case Op::OR:
      return "|";
    case Op::XOR:
      return "^";
    default:
      return "";
  }
}

// Binding strength, 1 the strongest; comparisons have none, since Python chains them.
constexpr int precedence(Op op) {
  switch (op) {
    case Op::MUL:
    case Op::FLOORDIV:
    case Op::FLOORMOD:
      return 1;
    case Op::ADD:
    case Op::SUB:
      return 2;
    case Op::SHL:
    case Op::SHR:
      return 3;
    case Op::AND:
      return 4;
    case Op::XOR:
      return 5;
    case Op::OR:
      return 6;
    default:
      return 99;
  }
}

// Calls sink.text(string_view) and sink.child(node, strip) in the order of the text; `strip` asks to leave out the
// parentheses around the whole child. False, and nothing is called, where the op has no formula of its own here:
// movement, indexing and the ops that print as nodes.
template <class Sink>
bool formula(UOp u, Sink& sink) {
  const auto call = [&](std::string_view name) {
    sink.text(name);
    sink.child(u.src(0), false);
    sink.text(", ");
    sink.child(u.src(1), false);
    sink.text(")");
  };
  switch (u.op()) {
    case Op::PARAM:
    case Op::BUFFER: {
      const auto& p = u.arg().as<ParamArg>();
      sink.text(p.name ? *p.name : (u.is(Op::PARAM) ? "p" : "b") + std::to_string(p.slot));
      return true;
    }
    case Op::AFTER:
      sink.child(u.src(0), false);
      return true;
    case Op::SPECIAL:
      sink.text(u.arg().as<std::string>());
      return true;
    case Op::RANGE:
      if (u.dtype() == DType::void_)
        sink.text("loop" + u.arg().as_tuple().at(0).as<Scalar>().str());
      else
        sink.text("r" + range_str(u));
      return true;
    case Op::CONST:
      sink.text(u.val().str());
      return true;
    case Op::CAST: {
      const UOp s = u.src(0);
      // the cast states the width, the weak constant carries the value
      if (s.is_const() && (is_weak(s.dtype()) || s.dtype() == DType::bool_)) {
        sink.text(s.val().str());
        return true;
      }
      sink.text("(" + dtype_repr(u.dtype()).substr(7) + ")(");
      sink.child(s, false);
      sink.text(")");
      return true;
    }
    case Op::NEG:
    case Op::RECIPROCAL:
      sink.text(u.is(Op::NEG) ? "(-" : "(1/");
      sink.child(u.src(0), false);
      sink.text(")");
      return true;
    case Op::MAX:
      call("max(");
      return true;
    case Op::CDIV:
      call("cdiv(");
      return true;
    case Op::CMOD:
      call("cmod(");
      return true;
    case Op::MULACC:
      sink.text("(");
      sink.child(u.src(0), false);
      sink.text("*");
      sink.child(u.src(1), false);
      sink.text("+");
      sink.child(u.src(2), false);
      sink.text(")");
      return true;
    case Op::WHERE:
      sink.text("(");
      sink.child(u.src(1), false);
      sink.text(" if ");
      sink.child(u.src(0), false);
      sink.text(" else ");
      sink.child(u.src(2), false);
      sink.text(")");
      return true;
    case Op::STACK:
      sink.text("{");
      for (size_t i = 0; i < u.src_count() && sink.has_room(); ++i) {
        if (i > 0) sink.text(",");
        sink.child(u.srcs()[i], false);
      }
      sink.text("}");
      return true;
    default:
      break;
  }
  const std::string_view symbol = operator_symbol(u.op());
  if (symbol.empty()) return false;
  const int p = precedence(u.op());
  sink.text("(");
  sink.child(u.src(0), p != 99 && precedence(u.src(0).op()) <= p);
  sink.text(symbol);
  sink.child(u.src(1), p != 99 && precedence(u.src(1).op()) < p);
  sink.text(")");
  return true;
}

std::string lower_name(Op op);

}  // namespace rangescope::text
