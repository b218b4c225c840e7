#include "engine/symbolic/make_store.h"

#include "engine/ir/error.h"
#include "engine/rewrite/driver.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {

namespace {

UOp simplify(UOp u) {
  const Node*& known = u.rare_cache().simplified;
  if (known == nullptr) {
    const Untracked untracked(u.store());
    RewriteOptions options;
    options.name = "simplify";
    known = graph_rewrite(u, symbolic(), options).node();
  }
  return UOp(known);
}

using Arguments = std::span<const UOp>;

// Slots count from the end where they are negative, as they do in the reference.
UOp argument_of(UOp param, Arguments arguments) {
  const int64_t slot = param.arg().as<ParamArg>().slot;
  const auto n = static_cast<int64_t>(arguments.size());
  if (slot < -n || slot >= n) throw GraphError("a parameter's slot is outside the arguments of its call");
  return arguments[static_cast<size_t>(slot < 0 ? slot + n : slot)];
}

const RuleSet& resolve_params_rules() {
  static const RuleSet rules("_pm_resolve_params",
                             {{"resolve-param", "a parameter in a function's shape is the argument of the call",
                               "uop/ops.py:1755", pat(Op::PARAM).named(captures::p),
                               [](const Match& m) { return argument_of(m.root(), m.context<Arguments>()); }}});
  return rules;
}

// A tracked pass, as in the reference, where a shape is first asked for outside of simplify.
UOp resolve_params(UOp u, Arguments arguments) {
  RewriteOptions options;
  options.context = &arguments;
  options.walk = true;
  return graph_rewrite(u, resolve_params_rules(), options);
}

}  // namespace

std::unique_ptr<Store> make_store() {
  auto store = std::make_unique<Store>();
  store->simplify_hook = simplify;
  store->resolve_params_hook = resolve_params;
  return store;
}

}  // namespace rangescope::symbolic
