#pragma once
// Every store becomes a kernel of its own: a call of an AST that is numbered from 0, so that equal kernels are equal
// (reference: schedule/rangeify.py, split_kernels).

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/rewrite/driver.h"
#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

const RuleSet& split_kernels();

// What a kernel has been given so far: the context of the two sets below.
struct LocalContext {
  int64_t next_slot = 0;
  int64_t next_range = 0;
  NodeMap arguments;  // a buffer -> what the kernel is called on
  std::optional<std::vector<OptArg>> opts;
};

const RuleSet& to_define_global();
const RuleSet& rangeify_codegen();

}  // namespace rangescope::schedule
