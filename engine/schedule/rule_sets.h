#pragma once
// Every rule set of the scheduler by the reference's name, for listing and testing.

#include <span>
#include <string_view>

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

struct NamedRuleSet {
  std::string_view name;
  const RuleSet& (*rules)();
};

std::span<const NamedRuleSet> rule_sets();

}  // namespace rangescope::schedule
