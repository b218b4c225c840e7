#include "engine/codegen/final.h"

namespace rangescope::codegen {

const RuleSet& pm_cast_float_alu() {
  using namespace captures;
  static const RuleSet rules(
      "pm_cast_float_alu",
      {{"cast-float-operand", "a function of floats gets its operand as the float it gives", "codegen/__init__.py:255",
        pat({Op::SIN, Op::LOG2, Op::EXP2, Op::SQRT, Op::RECIPROCAL}, {var(x)}).named(u), [](const Match& m) {
          return m[x].dtype() == m[u].dtype() ? UOp{} : m[u].with_srcs({m[x].cast(m[u].dtype())});
        }}});
  return rules;
}

const RuleSet& pm_casted_consts() {
  using namespace captures;
  static const RuleSet rules("pm_casted_consts",
                             {{"constant-as-cast", "a constant of a dtype is a bare number cast to it",
                               "codegen/__init__.py:286", cvar(c, dtypes::all), [](const Match& m) {
                                 const UOp bare = m.store().constant(m[c].val());
                                 return m.store().make(Op::CAST, m[c].dtype(), {bare}, Arg(m[c].dtype()));
                               }}});
  return rules;
}

const RuleSet& pm_number_params() {
  using namespace captures;
  static const RuleSet rules("pm_number_params",
                             {{"number-variable", "a variable takes the next free place among the parameters",
                               "codegen/__init__.py:39", pat(Op::PARAM).named(x), [](const Match& m) {
                                 ParamArg p = m[x].arg().as<ParamArg>();
                                 if (p.slot != -1) return UOp{};
                                 p.slot = m.context<int64_t>()++;
                                 return m[x].with_arg(Arg(std::move(p)));
                               }}});
  return rules;
}

}  // namespace rangescope::codegen
