#pragma once
// Shrinks a program that a check fails on to a small one that it still fails on: delta debugging over the nodes of its
// graph. What the check is does not matter here; it is asked about whole programs.

#include <cstdint>
#include <functional>

#include "engine/ir/program.h"

namespace rangescope::app {

struct ReduceLimits {
  size_t checks = 2000;
  double seconds = 600;
};

struct Reduced {
  UOp root;
  size_t nodes_before = 0, nodes_after = 0;
  size_t checks = 0;
  bool limited = false;  // ended at a limit: there may be less
};

// `fails(root)`: the check still fails on this graph. It must fail on `root` itself; the result is the smallest graph
// found on which it does. Kinds of step, as long as one helps: a source of a SINK goes; a node becomes one of its
// sources, a constant, or a parameter of its own, of the same shape and dtype.
Reduced reduce(UOp root, const std::function<bool(UOp)>& fails, const ReduceLimits& limits = {});

}  // namespace rangescope::app
