#pragma once
// Rebuilding graphs with other leaves; what is known of a node's origin goes over to what is made of it.

#include <span>
#include <utility>
#include <vector>

#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope::frontend {

// The roots with these nodes replaced, in one walk: what is put in is not looked at again.
UOps substituted(std::span<const UOp> roots, const std::vector<std::pair<UOp, UOp>>& replacements);

// The graph under `root` in another store.
UOp copied_to(UOp root, Store& to);

void inherit_metadata(UOp from, UOp to);

}  // namespace rangescope::frontend
