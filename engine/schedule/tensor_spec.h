#pragma once
// What a graph of tensors may be made of before it is scheduled (reference: uop/spec.py, spec_shared and spec_tensor).

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

const RuleSet& spec_shared();  // what tensors and programs have in common
const RuleSet& spec_tensor();

}  // namespace rangescope::schedule
