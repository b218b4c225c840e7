#pragma once
// Every rule set of code generation by the reference's name, for listing and testing.

#include <span>

#include "engine/rewrite/named_rule_set.h"

namespace rangescope::codegen {

std::span<const NamedRuleSet> rule_sets();

}  // namespace rangescope::codegen
