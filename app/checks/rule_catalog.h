#pragma once
// Every rule of the engine, each once, in the order of the sets that hold them.

#include <span>
#include <string_view>
#include <vector>

#include "engine/rewrite/rule.h"

namespace rangescope::app {

struct CatalogRule {
  std::string_view set;  // the first that holds it
  const Rule* rule;
};

std::span<const CatalogRule> rule_catalog();
const CatalogRule* find_rule(std::string_view name);  // null: there is none
// The rules that port one place of the reference: a line there can be several here.
std::vector<const CatalogRule*> rules_of(std::string_view ref);

}  // namespace rangescope::app
