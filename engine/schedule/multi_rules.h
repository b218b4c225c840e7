#pragma once
// The rewrites behind the rows of multi_pm, by family; each matches a captured UNSHARD (`multi`) unless it says else.

#include <optional>

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

// ** multi_compute.cpp: values computed from sharded values
UOp alu_multi(const Match& m);     // `root`, any of its sources sharded
UOp stack_multi(const Match& m);   // likewise
UOp reduce_multi(const Match& m);  // `root`
UOp index_multi(const Match& m);   // `root`

// ** multi_movement.cpp: `root` moves a sharded value
UOp reshape_multi(const Match& m);
UOp expand_multi(const Match& m);
UOp pad_multi(const Match& m);
UOp permute_multi(const Match& m);
UOp shrink_multi(const Match& m);
UOp flip_multi(const Match& m);

// ** multi_memory.cpp: copies, stores and calls of sharded values
UOp copy_multi(UOp multi, const Device& device);
UOp store_after_multi(const Match& m);      // `dest`, `src`
UOp store_value_multi(const Match& m);      // `dest`
UOp store_dest_multi(const Match& m);       // `root`
UOp passthrough_multi(const Match& m);      // `root`
UOp rewrite_into_function(const Match& m);  // `call`
UOp param_to_multi(const Match& m);         // `p`
// The value of an UNSHARD that each shard has, or the node itself.
UOp shard_value(UOp u);
// The part of an unsharded value, of the shape of `multi`, that belongs to the shard at hand.
UOp shard_subview(UOp full, UOp multi);

}  // namespace rangescope::schedule
