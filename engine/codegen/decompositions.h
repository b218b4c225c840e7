#pragma once
// Ops that the target has no code for, and cheaper ways to write those that it has (reference: codegen/decomp/op.py).

#include "engine/codegen/target.h"
#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

// Rules that make things simpler whatever comes after them; only those that these ops call for.
const RuleSet& simplifying_decompositions(OpSet ops);
// Cheaper ways to write what these ops can say. Context: const Target.
const RuleSet& late_decompositions(OpSet ops, bool disable_fast_idiv);

// What the passes of one target use. The sets live as long as the program.
struct Decompositions {
  const RuleSet* early;  // symbolic_simple and the simplifying ones
  const RuleSet* late;   // early, late and the transcendental functions; context: const Target
  const RuleSet* final;  // late, weak dtypes committed, loops ended one by one, nothing invalid left
};
Decompositions decompositions(const Target& target, const Settings& settings);

}  // namespace rangescope::codegen
