#include <algorithm>

#include "engine/schedule/spec.h"
#include "engine/schedule/tensor_spec.h"

namespace rangescope::schedule {

namespace {

using namespace captures;

UOp accept(const Match& m) {
  return verdict(m, true);
}

// Of the dtype, invalid, or weak: a weak dtype stands for any until lowering commits it.
bool fits(UOp u, DType dtype) {
  return matches_dtype(u, dtype) || u.is_weak();
}

UOp check_const(const Match& m) {
  const UOp u = m[x];
  if (u.is_invalid()) return verdict(m, u.dtype() == DType::bool_);
  return verdict(m, u.val().kind() == dtype_const(u.dtype(), u.val()).kind());
}

UOp check_stack(const Match& m) {
  const auto srcs = m[s].srcs();
  return verdict(m, std::ranges::all_of(srcs, [&](UOp u) { return u.shape() == srcs[0].shape(); }) &&
                        std::ranges::all_of(srcs, [&](UOp u) { return fits(u, m[s].dtype()); }));
}

UOp check_range(const Match& m) {
  const auto* arg = m[rng].arg().get_if<Arg::Tuple>();
  if (!matches_dtype(m[x], m[rng].dtype()) || arg == nullptr || arg->size() < 2 || !arg->back().is<AxisType>())
    return verdict(m, false);
  return verdict(m, std::all_of(arg->begin(), arg->end() - 1, [](const Arg& a) { return a.is_int(); }));
}

UOp refuse_float_bits(const Match& m) {
  const bool has_float = std::ranges::any_of(m[x].srcs(), [](UOp u) { return is_float(u.dtype()); });
  return has_float ? verdict(m, false) : UOp{};
}

UOp check_shift(const Match& m) {
  const DType dt = m[a].dtype();
  const bool value = matches_dtype(m[x], dt) || m[x].dtype() == DType::weakint;
  const bool count = matches_dtype(m[c], dt) || m[c].dtype() == DType::uint32 || m[c].dtype() == DType::weakint ||
                     m[x].base().is_invalid();
  return verdict(m, value && count);
}

UOp refuse_non_int_division(const Match& m) {
  const bool ok = is_int(m[x].dtype()) || std::ranges::any_of(m[x].srcs(), [](UOp u) { return u.base().is_invalid(); });
  return ok ? UOp{} : verdict(m, false);
}

UOp check_index(const Match& m) {
  const auto srcs = m[x].srcs();
  const bool ok = !srcs.empty() && std::ranges::all_of(srcs.subspan(1), [](UOp u) {
    return is_int(u.dtype()) || u.base().is_invalid();
  });
  return ok ? verdict(m, true) : UOp{};
}

UOp check_end(const Match& m) {
  const bool ok = std::ranges::all_of(m[x].srcs().subspan(1), [](UOp u) { return u.is(Op::RANGE); });
  return ok ? verdict(m, true) : UOp{};
}

const RuleSet& spec_shared_values() {
  static const RuleSet rules(
      "spec_shared_values",
      {
          {"spec-sink", "a sink is allowed", "uop/spec.py:51", pat(Op::SINK).with_dtype(DType::void_), accept},
          {"spec-noop", "a NOOP is allowed", "uop/spec.py:54", pat(Op::NOOP), accept},
          {"spec-const", "a constant is of the kind of its dtype; the invalid value is a bool", "uop/spec.py:57",
           pat(Op::CONST, {}).named(x), check_const},
          {"spec-stack-empty", "a stack of nothing is allowed: the shape of a scalar", "uop/spec.py:60",
           pat(Op::STACK, {}).with_dtype(DType::void_), accept},
          {"spec-stack", "a stack has sources of one shape and of its dtype", "uop/spec.py:61",
           pat_any_length(Op::STACK, {var()}).named(s), check_stack},
          {"spec-where", "a where has a bool condition and two values of its dtype", "uop/spec.py:66",
           pat(Op::WHERE, {var(std::nullopt, DType::bool_), var(), var()}).named(w),
           [](const Match& m) {
             return verdict(m, fits(m[w].src(1), m[w].dtype()) && fits(m[w].src(2), m[w].dtype()));
           }},
          {"spec-comparison", "a comparison gives bool and has operands of one dtype", "uop/spec.py:68",
           pat(groups::Comparison, {var(x), var(y)}).with_dtype(DType::bool_),
           [](const Match& m) { return verdict(m, fits(m[x], m[y].dtype()) || fits(m[y], m[x].dtype())); }},
          {"spec-bits", "an operation on bits has no float operand", "uop/spec.py:70",
           pat({Op::AND, Op::OR, Op::XOR, Op::SHL, Op::SHR}).named(x), refuse_float_bits},
          {"spec-shift", "a shift has a value of its dtype and an unsigned or equal count", "uop/spec.py:71",
           pat({Op::SHL, Op::SHR}, {var(x), var(c)}).named(a), check_shift},
          {"spec-int-division", "a division or modulo of integers is one of integers", "uop/spec.py:73",
           pat({Op::CDIV, Op::CMOD, Op::FLOORDIV, Op::FLOORMOD}).named(x), refuse_non_int_division},
          {"spec-alu", "any other operation has operands of its dtype", "uop/spec.py:75", pat(groups::ALU).named(x),
           [](const Match& m) {
             return verdict(m, std::ranges::all_of(m[x].srcs(), [&](UOp u) { return fits(u, m[x].dtype()); }));
           }},
          {"spec-cast", "a cast says to which dtype", "uop/spec.py:78", pat({Op::BITCAST, Op::CAST}, {var()}).named(x),
           [](const Match& m) { return verdict(m, m[x].arg().is<DType>()); }},
          {"spec-range", "a range has numbers and the type of its axis", "uop/spec.py:81",
           pat_any_length(Op::RANGE, {var(x)}).named(rng), check_range},
          {"spec-index", "an index is an integer", "uop/spec.py:84", pat(Op::INDEX).named(x), check_index},
          {"spec-end", "an END closes ranges", "uop/spec.py:86", pat_any_length(Op::END, {var()}).named(x), check_end},
          {"spec-end-loop", "an END of a loop without bounds says when it goes on", "uop/spec.py:88",
           pat(Op::END, {var(), pat(Op::RANGE).with_dtype(DType::void_), var(std::nullopt, DType::bool_)}), accept},
      });
  return rules;
}

const RuleSet& spec_shared_memory() {
  const Pat place = pat({Op::INDEX, Op::SHRINK}).named(uidx).or_casted();
  static const RuleSet rules("spec_shared_memory", {
                                                       {"spec-param", "a parameter is allowed", "uop/spec.py:91",
                                                        pat(Op::PARAM).named(x),
                                                        [](const Match& m) {
                                                          return verdict(m, m[x].arg().is<ParamArg>());
                                                        }},
                                                       {"spec-buffer-local",
                                                        "a buffer of a kernel is local or in registers",
                                                        "uop/spec.py:92", pat(Op::BUFFER, {var()}).named(x),
                                                        [](const Match& m) {
                                                          if (!m[x].arg().is<ParamArg>()) return verdict(m, false);
                                                          const std::optional<AddrSpace> space = m[x].addrspace();
                                                          return verdict(
                                                              m, space == AddrSpace::REG || space == AddrSpace::LOCAL);
                                                        }},
                                                       {"spec-group", "a group is one of stores, ends or groups",
                                                        "uop/spec.py:96",
                                                        pat_repeated(Op::GROUP, pat({Op::GROUP, Op::STORE, Op::NOOP,
                                                                                     Op::INS, Op::END}))
                                                            .with_dtype(DType::void_),
                                                        accept},
                                                       {"spec-after",
                                                        "a buffer, a view of one or a value may wait, in its own dtype",
                                                        "uop/spec.py:99",
                                                        pat_any_length(
                                                            Op::AFTER,
                                                            {pat(groups::Movement |
                                                                 OpSet{Op::PARAM, Op::BUFFER, Op::CONTIGUOUS, Op::INDEX,
                                                                       Op::AFTER, Op::UNSHARD, Op::BITCAST, Op::INS})})
                                                            .named(x),
                                                        [](const Match& m) {
                                                          return verdict(m, matches_dtype(m[x].src(0), m[x].dtype()));
                                                        }},
                                                       {"spec-custom", "custom code is allowed",
                                                        "uop/spec.py:104", pat({Op::CUSTOMI, Op::CUSTOM}), accept},
                                                       {"spec-call-address", "a call of an address is allowed",
                                                        "uop/spec.py:107", pat_any_length(Op::CALL, {var()}).named(x),
                                                        [](const Match& m) {
                                                          const UOp body = m[x].src(0);
                                                          return body.dtype() == DType::void_
                                                                     ? UOp{}
                                                                     : verdict(m, matches_dtype(body, DType::uint64));
                                                        }},
                                                       {"spec-pyliteral", "a literal of a compiled pattern is allowed",
                                                        "uop/spec.py:111", pat(Op::PYLITERAL), accept},
                                                       {"spec-barrier", "a barrier is allowed", "uop/spec.py:114",
                                                        pat(Op::BARRIER).with_dtype(DType::void_), accept},
                                                       {"spec-ins", "a machine instruction is allowed",
                                                        "uop/spec.py:117", pat(Op::INS), accept},
                                                       // CHECK_OOB=0: whether an index is inside its buffer is not
                                                       // checked here
                                                       {"spec-load", "a load reads an element of a buffer",
                                                        "uop/spec.py:120", place.load(), accept},
                                                       {"spec-load-gated",
                                                        "a load with a condition has another value of its dtype",
                                                        "uop/spec.py:121",
                                                        pat(Op::LOAD, {place, var(alt), var(gate, DType::bool_)})
                                                            .named(load),
                                                        [](const Match& m) {
                                                          return verdict(m, matches_dtype(m[alt], m[load].dtype()));
                                                        }},
                                                       {"spec-store-element", "a store writes an element of a buffer",
                                                        "uop/spec.py:123", place.store(var()), accept},
                                                       {"spec-store-gated", "a store may have a condition",
                                                        "uop/spec.py:124",
                                                        pat(Op::STORE, {place, var(), var(gate, DType::bool_)}),
                                                        accept},
                                                       {"spec-store", "a store writes a value into a target",
                                                        "uop/spec.py:127",
                                                        pat(Op::STORE, {var(x), var()}).with_dtype(DType::void_),
                                                        accept},
                                                       {"spec-wmma",
                                                        "a matrix product has two factors, an accumulator and its "
                                                        "description",
                                                        "uop/spec.py:130",
                                                        pat(Op::WMMA, {var(), var(), var()}).named(x),
                                                        [](const Match& m) {
                                                          const auto* arg = m[x].arg().get_if<Arg::Tuple>();
                                                          return verdict(m, arg != nullptr && arg->size() == 5);
                                                        }},
                                                   });
  return rules;
}

}  // namespace

const RuleSet& spec_shared() {
  static const RuleSet rules("spec_shared", {&spec_shared_values(), &spec_shared_memory()});
  return rules;
}

}  // namespace rangescope::schedule
