#pragma once
// Ops that the target has no code for, and cheaper ways to write those that it has (reference: codegen/decomp/op.py).

#include "engine/codegen/target.h"
#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

// The sets of one target; they live as long as the program.
struct Decompositions {
  const RuleSet* early;  // symbolic_simple and what makes things simpler
  const RuleSet* late;   // early, cheaper spellings and the transcendental functions; context: const Target
  const RuleSet* final;  // late, weak dtypes committed, loops ended one by one, nothing invalid left
};
const Decompositions& decompositions(const Target& target, const Settings& settings);

}  // namespace rangescope::codegen
