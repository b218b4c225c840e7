#pragma once
// The parts that symbolic_simple and symbolic are concatenated from, each one consecutive rows of the reference's
// table. symbolic.cpp holds their order.

#include "engine/rewrite/rule.h"

namespace rangescope::symbolic::families {

// ** symbolic_simple, in order
const RuleSet& self_folding();
const RuleSet& zero_folding();
const RuleSet& constant_folding();
const RuleSet& bool_arithmetic();
const RuleSet& division_by_itself();
const RuleSet& simple_casts();
const RuleSet& powers();
const RuleSet& packed_words();
const RuleSet& simple_where();

// ** symbolic, in order
const RuleSet& combine_terms();
const RuleSet& where_folding();
const RuleSet& bounds_folding();
const RuleSet& two_stage_alu();
const RuleSet& comparisons();
const RuleSet& constants_last();
const RuleSet& sums_below_constants();
const RuleSet& range_divided_by_its_end();
const RuleSet& nested_casts();
const RuleSet& ordering();

}  // namespace rangescope::symbolic::families
