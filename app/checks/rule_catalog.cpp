#include "app/checks/rule_catalog.h"

#include <algorithm>
#include <set>
#include <vector>

#include "engine/codegen/broadcast.h"
#include "engine/codegen/coalesce.h"
#include "engine/codegen/control_flow.h"
#include "engine/codegen/decompositions.h"
#include "engine/codegen/devectorize.h"
#include "engine/codegen/dtype_decomposition.h"
#include "engine/codegen/expander.h"
#include "engine/codegen/final.h"
#include "engine/codegen/float_decomposition.h"
#include "engine/codegen/gater.h"
#include "engine/codegen/gpudims.h"
#include "engine/codegen/long_decomposition.h"
#include "engine/codegen/reduce.h"
#include "engine/schedule/rule_sets.h"
#include "engine/symbolic/range.h"
#include "engine/symbolic/reduce.h"
#include "engine/symbolic/symbolic.h"
#include "engine/symbolic/transcendental.h"
#include "engine/symbolic/weak.h"

namespace rangescope::app {

namespace {

// Small sets before those that are concatenated from them.
std::vector<CatalogRule> collect() {
  namespace sy = symbolic;
  namespace cg = codegen;
  std::vector<CatalogRule> out;
  std::set<std::string_view> seen;
  const auto add = [&](std::string_view name, const RuleSet& rules) {
    for (const RuleSet::Entry& e : rules.entries())
      if (seen.insert(e.rule->name).second) out.push_back({name, e.rule});
  };
  add("mop_cleanup", sy::mop_cleanup());  // part of the next
  for (const schedule::NamedRuleSet& s : schedule::rule_sets()) add(s.name, s.rules());
  add("pm_data_invalid", sy::pm_data_invalid());
  add("pm_remove_invalid", sy::pm_remove_invalid());
  add("symbolic_simple", sy::symbolic_simple());
  add("commutative", sy::commutative());
  add("div_and_mod_symbolic", sy::div_and_mod_symbolic());
  add("symbolic", sy::symbolic());
  add("pm_drop_and_clauses", sy::pm_drop_and_clauses());
  add("pm_move_where_on_load", sy::pm_move_where_on_load());
  add("pm_simplify_valid", sy::pm_simplify_valid());
  add("pm_clean_up_group_sink", sy::pm_clean_up_group_sink());
  add("sym", sy::sym());
  add("pm_cast_weak", sy::pm_cast_weak());
  add("pm_commit_weak", sy::pm_commit_weak());
  add("pm_lower_weak", sy::pm_lower_weak());
  add("pm_lower_index_dtype", sy::pm_lower_index_dtype());
  add("pm_flatten_range", sy::pm_flatten_range());
  add("pm_simplify_ranges", sy::pm_simplify_ranges());
  add("pm_split_ranges", sy::pm_split_ranges());
  add("pm_reduce_unparented", sy::pm_reduce_unparented());
  add("pm_reduce_collapse", sy::pm_reduce_collapse());
  add("pm_reduce_load_collapse", sy::pm_reduce_load_collapse());
  add("pm_reduce_simplify", sy::pm_reduce_simplify());
  add("pm_load_collapse", sy::pm_load_collapse());
  add("transcendental", sy::transcendental_rules({}, true));
  add("expander2", cg::expander2());
  add("pm_wmma_add", cg::pm_wmma_add());
  add("pm_expand_broadcast", cg::pm_expand_broadcast());
  add("ew_devectorizer", cg::ew_devectorizer());
  add("devectorizer2", cg::devectorizer2());
  add("pm_reduce_local", cg::pm_reduce_local());
  add("pm_add_loads", cg::pm_add_loads());
  add("pm_add_local_buffers", cg::pm_add_local_buffers());
  add("pm_cast_float_alu", cg::pm_cast_float_alu());
  add("pm_implicit_barriers", cg::pm_implicit_barriers());
  add("pm_casted_consts", cg::pm_casted_consts());
  add("pm_number_params", cg::pm_number_params());
  add("pm_add_gpudims", cg::pm_add_gpudims());
  add("indexing_simplify", cg::indexing_simplify());
  add("pm_simplify_add_image", cg::pm_simplify_add_image());
  add("pm_move_gates_from_index", cg::pm_move_gates_from_index());
  add("pm_split_ends", cg::pm_split_ends());
  add("pm_add_control_flow", cg::pm_add_control_flow());
  add("pm_dtype_decomps", cg::pm_dtype_decomps());
  add("pm_long_decomp", cg::pm_long_decomp());
  add("pm_float_decomp", cg::pm_float_decomp());
  add("early decompositions", cg::simplifying_decompositions({Op::SHR, Op::AND, Op::CMPLT}));
  add("late decompositions", cg::late_decompositions(groups::All, false));
  add("late decompositions", cg::late_decompositions({}, false));
  return out;
}

}  // namespace

std::span<const CatalogRule> rule_catalog() {
  static const std::vector<CatalogRule> rules = collect();
  return rules;
}

const CatalogRule* find_rule(std::string_view name) {
  const auto it = std::ranges::find(rule_catalog(), name, [](const CatalogRule& r) { return r.rule->name; });
  return it == rule_catalog().end() ? nullptr : &*it;
}

std::vector<const CatalogRule*> rules_of(std::string_view ref) {
  std::vector<const CatalogRule*> out;
  for (const CatalogRule& r : rule_catalog())
    if (!ref.empty() && r.rule->ref == ref) out.push_back(&r);
  return out;
}

}  // namespace rangescope::app
