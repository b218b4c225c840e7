#pragma once
// Every rule set of the simplifier by the reference's name, for listing and testing.

#include <span>

#include "engine/rewrite/named_rule_set.h"

namespace rangescope::symbolic {

std::span<const NamedRuleSet> rule_sets();

}  // namespace rangescope::symbolic
