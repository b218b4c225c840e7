#include "engine/schedule/resolve_function.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/rewrite/driver.h"

namespace rangescope::schedule {

using namespace captures;

namespace {}  // namespace

const RuleSet& pm_gather_params() {
  static const RuleSet rules("pm_gather_params",
                             {{"gather-params", "collects the parameters of a function", "schedule/rangeify.py:95",
                               pat(Op::PARAM).named(p), [](const Match& m) {
                                 if (m[p].arg().as<ParamArg>().slot >= 0) m.context<UOps>().push_back(m[p]);
                                 return UOp{};
                               }}});
  return rules;
}

namespace {

void check_argument(UOp param, UOp arg) {
  const auto mismatch = [&](const char* what) {
    return GraphError(fmt::format("argument {} of a FUNCTION has another {} than the parameter (node {})",
                                  param.arg().as<ParamArg>().slot, what, param.id()));
  };
  if (param.axis() != arg.axis()) throw mismatch("sharded axis");
  if (param.max_shape() != arg.max_shape()) throw mismatch("shape");
  if (param.dtype() != arg.dtype()) throw mismatch("dtype");
}

}  // namespace

UOp resolve_function(UOp function) {
  if (function.arg().as<CallInfo>().precompile) return {};
  const UOp body = function.src(0);
  UOps params;
  graph_rewrite(body, pm_gather_params(), {.name = "gather params", .context = &params, .bottom_up = true});
  const auto slot = [](UOp u) { return u.arg().as<ParamArg>().slot; };
  std::ranges::stable_sort(params, {}, slot);
  NodeMap map;
  for (const UOp param : params) map.set(param, function.src(static_cast<size_t>(slot(param)) + 1));
  for (const auto& [param, arg] : map.items()) check_argument(param, arg);
  return substitute(body, map, {.walk = true});
}

}  // namespace rangescope::schedule
