#pragma once
// Every rule set of the scheduler by the reference's name, for listing and testing.

#include <span>

#include "engine/rewrite/named_rule_set.h"

namespace rangescope::schedule {

std::span<const NamedRuleSet> rule_sets();

}  // namespace rangescope::schedule
