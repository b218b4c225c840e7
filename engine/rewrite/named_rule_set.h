#pragma once
// A rule set under the reference's name, for listing and testing.

#include <string_view>

#include "engine/rewrite/rule.h"

namespace rangescope {

struct NamedRuleSet {
  std::string_view name;
  const RuleSet& (*rules)();
};

}  // namespace rangescope
