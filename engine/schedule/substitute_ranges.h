#pragma once

#include <span>
#include <utility>

#include "engine/ir/uop.h"

namespace rangescope::schedule {

// `value` with ranges replaced, looking only into what depends on one of them: the same as an untracked substitute with
// pm_gate_substitute before it, where no replacement depends on a replaced range itself.
UOp substitute_ranges(UOp value, std::span<const std::pair<UOp, UOp>> map);

// `value` with ranges replaced by ranges wherever they stand: the same as an untracked substitute.
UOp replace_ranges(UOp value, std::span<const std::pair<UOp, UOp>> map);

}  // namespace rangescope::schedule
