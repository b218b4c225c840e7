#include "engine/ir/dtype_rules.h"

#include <fmt/format.h>

#include "engine/ir/error.h"

namespace rangescope {

namespace {

constexpr OpSet kVoid{Op::STORE,           Op::LINEAR,       Op::SINK, Op::PROGRAM, Op::SOURCE, Op::END,
                      Op::BARRIER,         Op::GROUP,        Op::IF,   Op::ENDIF,   Op::TUPLE,  Op::FUNCTION,
                      Op::CUSTOM_FUNCTION, Op::REWRITE_ERROR};
constexpr OpSet kUnknown{Op::CUSTOM, Op::CUSTOMI, Op::PYLITERAL, Op::INS, Op::NOOP};
constexpr OpSet kFirstSource{
    Op::LOAD, Op::UNSHARD, Op::REDUCE, Op::AFTER,  Op::RANGE,   Op::CONTIGUOUS, Op::CONTIGUOUS_BACKWARD,
    Op::COPY, Op::STAGE,   Op::DETACH, Op::MSTACK, Op::MSELECT, Op::ALLREDUCE,  Op::SPECIAL};
constexpr OpSet kFloatFunctions{Op::SIN, Op::LOG2, Op::EXP2, Op::SQRT, Op::RECIPROCAL};

UOp need(Op op, std::span<const UOp> srcs, size_t i) {
  if (i >= srcs.size()) throw GraphError(fmt::format("{} needs a source {}, it has {}", op_name(op), i, srcs.size()));
  return srcs[i];
}

DType promote(Op op, std::span<const UOp> srcs) {
  if (srcs.empty()) throw GraphError(fmt::format("{} has no sources", op_name(op)));
  DType dt = srcs[0].dtype();
  bool same = true;
  for (const UOp s : srcs) same = same && s.dtype() == dt;
  if (same) return dt;
  // the join of all at once: joining in pairs is not associative (two fp8 kinds join in float16, with bfloat16 in
  // bfloat16)
  std::vector<DType> all;
  for (const UOp s : srcs) all.push_back(s.dtype());
  return least_upper_dtype(all);
}

DType constant_dtype(const Arg& arg) {
  const auto* v = arg.get_if<Scalar>();
  if (v == nullptr) throw GraphError("CONST needs a number as its argument");
  // Invalid is always bool, the bottom of the promotion lattice
  if (v->is_invalid() || v->is_bool()) return DType::bool_;
  return v->is_int() ? DType::weakint : DType::weakfloat;
}

bool is_image_shape(const Shape* s) {
  return s != nullptr && s->size() == 3 && s->back() == Dim(4);
}

}  // namespace

std::optional<DType> derive_dtype(Op op, std::span<const UOp> srcs, const Arg& arg) {
  if (kVoid.contains(op)) return DType::void_;
  if (kUnknown.contains(op)) return std::nullopt;
  if (kFirstSource.contains(op)) return need(op, srcs, 0).dtype();
  if (groups::Comparison.contains(op)) return DType::bool_;
  if (kFloatFunctions.contains(op))
    return need(op, srcs, 0).base().is_invalid() ? DType::bool_ : least_upper_float(srcs[0].dtype());
  switch (op) {
    case Op::CALL:
      if (need(op, srcs, 0).dtype() == DType::void_) return DType::void_;
      return std::nullopt;
    case Op::INDEX: {
      const UOp buf = need(op, srcs, 0);
      if (buf.is(Op::PARAM) && is_image_shape(buf.shape_or_null()))
        return DType::float32;  // an image access is always float
      return buf.dtype();
    }
    case Op::WHERE:
      need(op, srcs, 2);
      if (srcs[0].dtype() != DType::bool_)
        throw GraphError(
            fmt::format("the condition of a WHERE must be bool, this one is {}", dtype_name(srcs[0].dtype())));
      return promote(op, srcs.subspan(1));
    case Op::STACK:
      return srcs.empty() ? DType::void_ : promote(op, srcs);
    case Op::WMMA:
      return need(op, srcs, 2).dtype();
    case Op::GETTUPLE: {
      UOp tuple = need(op, srcs, 0);
      if (tuple.is(Op::FUNCTION)) tuple = tuple.src(0);
      const int64_t i = arg.as_int64();
      if (i < 0) throw GraphError("GETTUPLE needs an index that is not negative");
      return tuple.src(static_cast<size_t>(i)).dtype();
    }
    case Op::GETADDR:
      return DType::uint64;
    case Op::SHL:
    case Op::SHR:
      need(op, srcs, 1);
      for (const UOp s : srcs)
        if (!is_int(s.dtype()) && !s.base().is_invalid())
          throw GraphError(fmt::format("a shift needs integers, a source here is {}", dtype_name(s.dtype())));
      return srcs[0].dtype();
    case Op::BUFFER:
    case Op::PARAM:
      return arg.as<ParamArg>().dtype;
    case Op::BINARY:
      return DType::uint8;
    case Op::CAST:
    case Op::BITCAST:
      return arg.as<DType>();
    case Op::CONST:
      return constant_dtype(arg);
    default:
      break;
  }
  if (groups::Unary.contains(op)) return need(op, srcs, 0).dtype();
  if (groups::Broadcastable.contains(op)) return promote(op, srcs);
  if (groups::Movement.contains(op)) return need(op, srcs, 0).dtype();
  throw GraphError(fmt::format("no dtype is known for {}", op_name(op)));
}

DType rebuilt_dtype(UOp n, std::span<const UOp> srcs) {
  const size_t count = std::min(n.src_count(), srcs.size());
  bool same = true;
  for (size_t i = 0; i < count && same; ++i) same = n.srcs()[i].dtype() == srcs[i].dtype();
  if (same) return n.dtype();
  return derive_dtype(n.op(), srcs, n.arg()).value_or(n.dtype());
}

}  // namespace rangescope
