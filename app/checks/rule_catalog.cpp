#include "app/checks/rule_catalog.h"

#include <algorithm>
#include <set>
#include <vector>

#include "engine/codegen/decompositions.h"
#include "engine/codegen/rule_sets.h"
#include "engine/schedule/rule_sets.h"
#include "engine/symbolic/rule_sets.h"

namespace rangescope::app {

namespace {

// A rule belongs to the first set that holds it: the folders below come first, and in each the small sets come before
// those that are concatenated from them.
std::vector<CatalogRule> collect() {
  std::vector<CatalogRule> out;
  std::set<std::string_view> seen;
  const auto add = [&](std::string_view name, const RuleSet& rules) {
    for (const RuleSet::Entry& e : rules.entries())
      if (seen.insert(e.rule->name).second) out.push_back({name, e.rule});
  };
  for (const auto sets : {symbolic::rule_sets(), schedule::rule_sets(), codegen::rule_sets()})
    for (const NamedRuleSet& s : sets) add(s.name, s.rules());
  add("late decompositions", codegen::late_decompositions({}, false));  // for a device that has none of these ops
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
