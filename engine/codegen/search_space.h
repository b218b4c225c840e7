#pragma once
// What a measured search over optimisations tries (reference: codegen/opt/search.py, get_kernel_actions).

#include <functional>

#include "engine/codegen/kernel_axes.h"

namespace rangescope::codegen {

struct SearchLimits {
  int64_t most_upcast = 256;  // elements that one invocation computes, unrolled steps included
  int64_t most_local = 1024;  // invocations of a workgroup
};

// The kernel with one more optimisation, in every way that applies to it, one after another; `visit` says whether to go
// on.
void each_search_step(const KernelAxes& kernel, const SearchLimits& limits,
                      const std::function<bool(KernelAxes& next)>& visit);

}  // namespace rangescope::codegen
