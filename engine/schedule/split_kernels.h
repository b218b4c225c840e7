#pragma once
// Every store becomes a kernel of its own: a call of an AST that is numbered from 0, so that equal kernels are equal
// (reference: schedule/rangeify.py, split_kernels).

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

const RuleSet& split_kernels();

}  // namespace rangescope::schedule
