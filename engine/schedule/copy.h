#pragma once

#include <optional>

#include "engine/ir/uop.h"

namespace rangescope::schedule {

// `u` on `device`: a COPY of its largest shape, shrunk to the shape it has. `shard` picks one of the devices of a value
// on several.
UOp copy_to_device(UOp u, const Device& device, std::optional<int64_t> shard = std::nullopt);

}  // namespace rangescope::schedule
