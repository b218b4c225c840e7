#include "engine/schedule/tensor_spec.h"

#include <algorithm>

#include "engine/schedule/spec.h"

namespace rangescope::schedule {

namespace {

using namespace captures;

UOp accept(const Match& m) {
  return verdict(m, true);
}

// One name, or a tuple of names.
bool is_device(const Arg& arg) {
  if (const auto* names = arg.get_if<Arg::Tuple>())
    return std::ranges::all_of(*names, [](const Arg& n) { return n.is<std::string>(); });
  return arg.is<std::string>();
}

UOp check_gettuple(const Match& m) {
  const Arg& i = m[g].arg();
  if (!i.is_int() || i.as_int64() < 0 || i.as_int64() >= static_cast<int64_t>(m[t].src_count()))
    return verdict(m, false);
  return verdict(m, matches_dtype(m[t].src(static_cast<size_t>(i.as_int64())), m[g].dtype()));
}

UOp check_buffer(const Match& m) {
  const auto* arg = m[buf].arg().get_if<ParamArg>();
  if (arg == nullptr || m[buf].addrspace() != AddrSpace::GLOBAL) return {};
  return verdict(m, matches_dtype(m[buf].src(0), DType::weakint) && !arg->device.is_none());
}

bool is_reduce(const Arg& op) {
  return op.is<Op>() && groups::Reduce.contains(op.as<Op>());
}

UOp check_reduce(const Match& m) {
  const auto* arg = m[x].arg().get_if<Arg::Tuple>();
  if (arg == nullptr || arg->size() != 2 || !is_reduce((*arg)[0]) || !(*arg)[1].is_int()) return verdict(m, false);
  return verdict(m, std::ranges::all_of(m[x].srcs().subspan(1), [](UOp r) {
                   return r.dtype() == DType::weakint || r.dtype() == DType::int32;
                 }));
}

UOp check_allreduce(const Match& m) {
  const auto* arg = m[red].arg().get_if<Arg::Tuple>();
  return verdict(m, matches_dtype(m[x], m[red].dtype()) && arg != nullptr && arg->size() == 2 && is_reduce((*arg)[0]) &&
                        is_device((*arg)[1]));
}

UOp check_unshard(const Match& m) {
  const auto* axes = m[multi].arg().get_if<Arg::Tuple>();
  const auto srcs = m[multi].srcs();
  if (axes == nullptr || srcs.size() != axes->size() + 1 || !matches_dtype(srcs[0], m[multi].dtype()))
    return verdict(m, false);
  return verdict(m, std::ranges::all_of(*axes, [](const Arg& a) { return a.is_int(); }) &&
                        std::ranges::all_of(srcs.subspan(1), [](UOp r) { return r.is_weak(); }));
}

Pat program(std::initializer_list<Pat> stages) {
  return pat(Op::PROGRAM, stages).with_dtype(DType::void_);
}

const RuleSet& spec_tensor_calls() {
  static const RuleSet rules(
      "spec_tensor_calls",
      {
          {"spec-float-function", "a function of floats gives a float", "uop/spec.py:139",
           pat({Op::SIN, Op::LOG2, Op::EXP2, Op::SQRT, Op::RECIPROCAL}, {var()}).named(u),
           [](const Match& m) { return verdict(m, is_float(m[u].dtype()) || m[u].src(0).base().is_invalid()); }},
          {"spec-buffer", "a global buffer has a size and a device", "uop/spec.py:143",
           pat(Op::BUFFER, {var()}).named(buf), check_buffer},
          {"spec-variable", "a variable has no device", "uop/spec.py:148", pat(Op::BUFFER, {var()}).named(buf),
           [](const Match& m) {
             return m[buf].is_variable() ? verdict(m, m[buf].arg().as<ParamArg>().device.is_none()) : UOp{};
           }},
          {"spec-custom-function", "a custom function has a name", "uop/spec.py:151", pat(Op::CUSTOM_FUNCTION).named(x),
           [](const Match& m) { return verdict(m, m[x].arg().is<std::string>()); }},
          {"spec-call", "a call of a kernel, of kernels, a program, a copy or a custom function is allowed",
           "uop/spec.py:154",
           pat_any_length(Op::CALL, {pat({Op::SINK, Op::LINEAR, Op::PROGRAM, Op::COPY, Op::CUSTOM_FUNCTION})})
               .with_dtype(DType::void_),
           accept},
          {"spec-function", "a function has a tuple as its body", "uop/spec.py:157",
           pat_any_length(Op::FUNCTION, {pat(Op::TUPLE)}).with_dtype(DType::void_), accept},
          {"spec-tuple", "a tuple is allowed", "uop/spec.py:158", pat(Op::TUPLE).with_dtype(DType::void_), accept},
          {"spec-gettuple-function", "an element of a function's result exists and has its dtype", "uop/spec.py:159",
           pat(Op::GETTUPLE, {pat_any_length(Op::FUNCTION, {pat(Op::TUPLE).named(t)})}).named(g), check_gettuple},
          {"spec-gettuple", "an element of a tuple exists and has its dtype", "uop/spec.py:160",
           pat(Op::GETTUPLE, {pat(Op::TUPLE).named(t)}).named(g), check_gettuple},
          {"spec-special", "a launch dimension has a name", "uop/spec.py:163",
           pat(Op::SPECIAL, {var(x, DType::weakint)}).named(s),
           [](const Match& m) {
             return verdict(m, matches_dtype(m[x], m[s].dtype()) && m[s].arg().is<std::string>());
           }},
      });
  return rules;
}

const RuleSet& spec_tensor_values() {
  static const RuleSet rules(
      "spec_tensor_values",
      {
          {"spec-reshape", "a reshape or expand has a shape", "uop/spec.py:166",
           pat({Op::RESHAPE, Op::EXPAND}, {var(), var()}), accept},
          {"spec-pad", "a pad or shrink has as many offsets as sizes", "uop/spec.py:167",
           pat({Op::PAD, Op::SHRINK}, {var(), var(), var()}).named(x),
           [](const Match& m) { return verdict(m, m[x].src(1).shape() == m[x].src(2).shape()); }},
          {"spec-permute", "a permute or flip has a tuple of axes", "uop/spec.py:168",
           pat({Op::PERMUTE, Op::FLIP}, {var()}).named(mv),
           [](const Match& m) { return verdict(m, m[mv].arg().is<Arg::Tuple>()); }},
          {"spec-reduce", "a reduce has an operation, a number of axes, and ranges", "uop/spec.py:171",
           pat_any_length(Op::REDUCE, {var()}).named(x), check_reduce},
          {"spec-copy", "a copy keeps the dtype and names a device", "uop/spec.py:176",
           pat(Op::COPY, {var(x)}).named(copy),
           [](const Match& m) { return verdict(m, matches_dtype(m[x], m[copy].dtype()) && is_device(m[copy].arg())); }},
          {"spec-allreduce", "an allreduce keeps the dtype, has an operation and names a device", "uop/spec.py:177",
           pat(Op::ALLREDUCE, {var(x)}).named(red), check_allreduce},
          {"spec-unshard", "an unshard has one range a sharded axis", "uop/spec.py:182", pat(Op::UNSHARD).named(multi),
           check_unshard},
          {"spec-mselect", "a selected device is one of the value's", "uop/spec.py:184", pat(Op::MSELECT).named(x),
           [](const Match& m) { return verdict(m, is_device_choice(m[x])); }},
          {"spec-mstack", "a stack over devices has one device each, or one value without any", "uop/spec.py:185",
           pat(Op::MSTACK).named(x), [](const Match& m) { return verdict(m, is_device_stack(m[x])); }},
          {"spec-hint", "a hint keeps the dtype", "uop/spec.py:188",
           pat({Op::DETACH, Op::CONTIGUOUS, Op::CONTIGUOUS_BACKWARD}, {var(x)}).named(root),
           [](const Match& m) { return verdict(m, matches_dtype(m[x], m[root].dtype())); }},
          {"spec-stage", "a stage is allowed", "uop/spec.py:192", pat_any_length(Op::STAGE, {var()}), accept},
          {"spec-linear", "a list of kernels is allowed", "uop/spec.py:195", pat(Op::LINEAR).with_dtype(DType::void_),
           accept},
          {"spec-source", "the text of a program is allowed", "uop/spec.py:196",
           pat(Op::SOURCE, {}).with_dtype(DType::void_), accept},
          {"spec-binary", "the code of a program is allowed", "uop/spec.py:197",
           pat(Op::BINARY, {}).with_dtype(DType::uint8).named(x),
           [](const Match& m) { return verdict(m, m[x].arg().is<Bytes>()); }},
          {"spec-program-sink", "a program starts as a kernel", "uop/spec.py:198", program({pat(Op::SINK)}), accept},
          {"spec-program-linear", "then it has its ops in order", "uop/spec.py:199",
           program({pat(Op::SINK), pat(Op::LINEAR)}), accept},
          {"spec-program-source", "then its text", "uop/spec.py:200",
           program({pat(Op::SINK), pat(Op::LINEAR), pat(Op::SOURCE)}), accept},
          {"spec-program-binary", "then its code", "uop/spec.py:201",
           program({pat(Op::SINK), pat(Op::LINEAR), pat(Op::SOURCE), pat(Op::BINARY)}), accept},
      });
  return rules;
}

}  // namespace

const RuleSet& spec_tensor() {
  static const RuleSet rules("spec_tensor", {&spec_tensor_calls(), &spec_tensor_values(), &spec_shared()});
  return rules;
}

}  // namespace rangescope::schedule
