#pragma once
// How much a kernel computes and moves, counted from its op list (reference: renderer/__init__.py, Estimates.from_uops
// with indexing left out).

#include "engine/codegen/pipeline.h"

namespace rangescope::codegen {

// Of one launch. Symbolic where a size of the kernel is: an expression of its variables, see size_for.
struct Estimate {
  Dim ops;           // arithmetic on values; what only computes an address does not count
  Dim access_bytes;  // through all loads and stores, as often as they are made; registers apart
  Dim bytes;         // of the buffers that are reached: what is read again counts once
};

Result<Estimate> estimate(const UOps& linear);

}  // namespace rangescope::codegen
