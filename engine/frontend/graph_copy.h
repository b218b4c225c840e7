#pragma once
// Rebuilding graphs with other leaves; what is known of a node's origin goes over to what is made of it.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope::frontend {

// The roots with these nodes replaced, in one walk: what is put in is not looked at again.
UOps substituted(std::span<const UOp> roots, const std::vector<std::pair<UOp, UOp>>& replacements);

// The graph under `root` in another store.
UOp copied_to(UOp root, Store& to);

// What has been made of nodes, by their numbers: looked up, never iterated.
using Made = std::unordered_map<uint32_t, UOp>;
// The node on what has been made of its sources; itself where that changes none.
UOp on_made_sources(UOp u, const Made& made);

void inherit_metadata(UOp from, UOp to);

}  // namespace rangescope::frontend
