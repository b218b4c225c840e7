#pragma once
// Specs say what a graph may be made of. They are rule sets whose rules give a verdict instead of a replacement: the
// first rule that does not decline decides, and a node that no rule accepts is refused (reference: uop/spec.py).

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

// The verdict of a rule.
UOp verdict(const Match& m, bool accepted);

// The dtypes agree, or the node is the invalid value, which stands for any dtype.
bool matches_dtype(UOp u, DType dtype);
// Every value lives on one device, or all are one value without any.
bool is_device_stack(UOp mstack);
bool is_device_choice(UOp mselect);

// Refuses (GraphError) a graph with a node that the spec does not accept. Bodies of calls are checked where they are
// entered.
void type_verify(UOp root, const RuleSet& spec, bool enter_calls);

}  // namespace rangescope::schedule
