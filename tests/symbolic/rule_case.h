#pragma once
// What every rule must do, and must leave alone: data/rule_cases.jsonl.gz, which data/generate_cases.py writes.

#include <functional>
#include <string>

#include "engine/ir/store.h"
#include "engine/rewrite/rule.h"

namespace rangescope::symbolic::testing {

struct RuleCase {
  std::string set;
  size_t index = 0;   // of the rule in the set
  UOp before, after;  // no `after`: the rule does not apply

  const Rule& rule() const;
};

// Each case in a store of its own, which ends with the call.
void for_each_rule_case(const std::function<void(const RuleCase&)>& use);

}  // namespace rangescope::symbolic::testing
