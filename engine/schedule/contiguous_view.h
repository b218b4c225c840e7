#pragma once
// Whether a value is a run of consecutive elements of a buffer (reference: uop/ops.py, UOp.contiguous_view).

#include <cstdint>
#include <optional>

#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

struct ContiguousView {
  UOp base;
  Int offset;  // in elements of `base`
};

// A tracked pass ("contiguous_view_offset"). nullopt: no such run is known, or the device has no views.
std::optional<ContiguousView> contiguous_view(UOp u);

// Context: the UOp that is viewed.
const RuleSet& pm_contiguous_view_offset();

}  // namespace rangescope::schedule
