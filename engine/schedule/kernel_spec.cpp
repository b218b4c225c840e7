#include "engine/schedule/kernel_spec.h"

#include <algorithm>

#include "engine/schedule/spec.h"

namespace rangescope::schedule {

namespace {

using namespace captures;

UOp accept(const Match& m) {
  return verdict(m, true);
}

bool is_param(UOp u) {
  return u.arg().is<ParamArg>();
}

}  // namespace

const RuleSet& spec_kernel_graph() {
  static const RuleSet rules(
      "spec_kernel_graph",
      {
          {"kernel-graph-sink", "a sink is allowed", "uop/spec.py:254", pat(Op::SINK).with_dtype(DType::void_), accept},
          {"kernel-graph-bind", "a store of a constant is allowed where it binds a variable", "uop/spec.py:256",
           pat(Op::STORE, {pat(Op::BUFFER).named(b), pat(Op::CONST)}).with_dtype(DType::void_),
           [](const Match& m) { return verdict(m, m[b].is_variable()); }},
          {"kernel-graph-const", "a constant is allowed", "uop/spec.py:258", pat(Op::CONST, {}), accept},
          {"kernel-graph-stack", "a stack of constants, parameters and variables is allowed: a shape",
           "uop/spec.py:259", pat(Op::STACK).named(s),
           [](const Match& m) {
             const bool shape_like = std::ranges::all_of(m[s].srcs(), [](UOp u) {
               return u.in({Op::CONST, Op::PARAM}) || u.is_variable() || u.is_bound_var();
             });
             return shape_like ? verdict(m, true) : UOp{};
           }},
          {"kernel-graph-param", "a buffer of the caller is allowed", "uop/spec.py:263", pat(Op::PARAM).named(x),
           [](const Match& m) { return verdict(m, is_param(m[x])); }},
          {"kernel-graph-buffer", "a global buffer or a variable is allowed", "uop/spec.py:264",
           pat(Op::BUFFER).named(x),
           [](const Match& m) {
             if (!is_param(m[x])) return verdict(m, false);
             const std::optional<AddrSpace> space = m[x].addrspace();
             return verdict(m, space == AddrSpace::GLOBAL || space == AddrSpace::ALU);
           }},
          {"kernel-graph-view", "a reshape or bitcast of a buffer is allowed", "uop/spec.py:266",
           pat({Op::RESHAPE, Op::BITCAST}), accept},
          {"kernel-graph-mstack", "a stack over devices has one device each, or one value without any",
           "uop/spec.py:268", pat(Op::MSTACK).named(x),
           [](const Match& m) { return verdict(m, is_device_stack(m[x])); }},
          {"kernel-graph-mselect", "a selected device is one of the value's", "uop/spec.py:269",
           pat(Op::MSELECT).named(x), [](const Match& m) { return verdict(m, is_device_choice(m[x])); }},
          {"kernel-graph-call", "a call of a kernel, of kernels, a program or a custom function is allowed",
           "uop/spec.py:271", pat_any_length(Op::CALL, {pat({Op::SINK, Op::LINEAR, Op::PROGRAM, Op::CUSTOM_FUNCTION})}),
           accept},
          {"kernel-graph-after", "a buffer after the kernels that write it is allowed, in its own dtype",
           "uop/spec.py:273",
           pat_any_length(Op::AFTER, {pat(groups::Movement | OpSet{Op::PARAM, Op::AFTER, Op::BUFFER, Op::MSTACK,
                                                                   Op::MSELECT, Op::BITCAST, Op::RESHAPE})})
               .named(x),
           [](const Match& m) { return verdict(m, matches_dtype(m[x].src(0), m[x].dtype())); }},
      });
  return rules;
}

void verify_kernel_graph(UOp sink) {
  type_verify(sink, spec_kernel_graph(), false);
}

}  // namespace rangescope::schedule
