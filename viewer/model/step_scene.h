#pragma once
// A step of a pass as a picture: the graph after its first `step` matches, with what the last of them changed. No
// widgets; runs on the thread that owns the reader.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/trace/reader.h"
#include "viewer/canvas/op_style.h"
#include "viewer/layout/graph.h"

namespace rangescope::viewer {

// After the first `step` matches of `pass`; 0 is its input.
struct StepAddress {
  int64_t pass = 0;
  int64_t step = 0;
  bool operator==(const StepAddress&) const = default;
};

// What is left out of the picture.
struct SceneFilters {
  bool constants = false;  // false: constants and shapes stand inside their users
  bool callBodies = false;
  bool sink = true;
  Palette palette = Palette::Known;
  bool operator==(const SceneFilters&) const = default;
};

struct StepScene {
  StepAddress address;
  SceneGraph graph;
  UOp root;                               // of the whole graph, for whoever owns the reader
  std::optional<trace::StepMatch> match;  // the one that led here; none at step 0
  std::string ruleName;
  size_t nodes = 0;      // of the whole graph, hidden ones included
  bool cut = false;      // too large to draw whole: the surroundings of the change are shown
  bool kernels = false;  // a graph of kernels: it can carry times
};

Result<StepScene> stepScene(trace::Reader& reader, const StepAddress& address, const SceneFilters& filters);

// The graph of kernels that the schedule ended with, with each kernel's time of the last run as heat.
Result<StepScene> kernelScene(trace::Reader& reader, const SceneFilters& filters);

// The pass whose last step is the kernel graph; 0 where the trace has none.
int64_t kernelGraphPass(const trace::Reader& reader);

}  // namespace rangescope::viewer
