#pragma once
// Vectors become scalars: every element of a shaped op is its own node (reference: codegen/__init__.py, ew_devectorizer
// and devectorizer2).

#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

const RuleSet& ew_devectorizer();
const RuleSet& devectorizer2();

}  // namespace rangescope::codegen
