#pragma once
// The simplifier's rule sets, under the reference's names (uop/symbolic.py, uop/movement.py, uop/divandmod.py). Their
// rows stand in one file a family; the order inside a set is the reference's.

#include "engine/rewrite/rule.h"

namespace rangescope::symbolic {

const RuleSet& pm_data_invalid();         // the invalid value poisons what it meets
const RuleSet& pm_remove_invalid();       // what is still invalid at the end becomes 0
const RuleSet& mop_cleanup();             // movement ops that undo or repeat each other
const RuleSet& symbolic_simple();         // the most generic folding, with the three above but pm_remove_invalid
const RuleSet& commutative();             // one order of operands for index arithmetic
const RuleSet& div_and_mod_symbolic();    // floor division and modulo
const RuleSet& symbolic();                // what UOp::simplify() runs
const RuleSet& pm_drop_and_clauses();     // conditions that do not concern the value they guard
const RuleSet& pm_move_where_on_load();   // a where around a load becomes the load's own condition
const RuleSet& pm_simplify_valid();       // index conditions, and indices under them
const RuleSet& pm_clean_up_group_sink();  // nested groups and sinks
const RuleSet& sym();                     // symbolic and the opinionated rest

}  // namespace rangescope::symbolic
