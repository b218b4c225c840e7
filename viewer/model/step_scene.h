#pragma once
// A step of a pass as a picture: the graph after its first `step` matches, with what the last of them changed. No
// widgets; runs on the thread that owns the reader.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <tsl/robin_map.h>

#include "engine/trace/reader.h"
#include "engine/trace/times.h"
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
  bool indexing = true;  // false: without index arithmetic, ranges included
  bool lens = false;     // ranges by axis type, boundaries of stages marked, the rest in the background
  Palette palette = Palette::Known;
  bool operator==(const SceneFilters&) const = default;
};

// Keys of a picture and the nodes behind them. A node that was only rebuilt around a new source keeps the key of the
// node it was in the pass's input, so that it stays where it is from step to step.
class SceneKeys {
 public:
  void add(uint32_t key, uint32_t node) {
    nodes_.try_emplace(key, node);
    keys_.try_emplace(node, key);
  }
  // What is not known stands for itself.
  uint32_t node(uint32_t key) const {
    const auto it = nodes_.find(key);
    return it == nodes_.end() ? key : it->second;
  }
  uint32_t key(uint32_t node) const {
    const auto it = keys_.find(node);
    return it == keys_.end() ? node : it->second;
  }

 private:
  tsl::robin_map<uint32_t, uint32_t> nodes_, keys_;  // looked up, never iterated
};

struct StepScene {
  StepAddress address;
  SceneGraph graph;
  SceneKeys keys;
  UOp root;                               // of the whole graph, for whoever owns the reader
  std::optional<trace::StepMatch> match;  // the one that led here; none at step 0
  std::string ruleName;
  int64_t matches = 0;                              // of the whole pass
  size_t nodes = 0;                                 // of the whole graph, hidden ones included
  bool cut = false;                                 // too large to draw whole: the surroundings of the change are shown
  bool kernels = false;                             // a graph of kernels: it can carry times
  bool timed = false;                               // and does
  std::vector<std::pair<int64_t, uint32_t>> items;  // of a kernel graph: schedule item, key of its node
};

Result<StepScene> stepScene(trace::Reader& reader, const StepAddress& address, const SceneFilters& filters);
// The graph there, whole.
Result<UOp> stepRoot(trace::Reader& reader, const StepAddress& address);
// A pass that has graphs; groups have none.
Result<const trace::Pass*> passWithGraph(const trace::Reader& reader, int64_t id);

// What the times of the last run are shown as, over the kernel graph.
enum class Measure : uint8_t { Time, Flops, Bandwidth, Share };
inline constexpr size_t kMeasures = 4;

// The graph of kernels that the schedule ended with, with their names and, where asked for, this measure of each as
// heat (kernel_scene.cpp).
// `known`: the times of the last run, where they are known already; otherwise they are read.
Result<StepScene> kernelScene(trace::Reader& reader, const SceneFilters& filters,
                              std::optional<Measure> measure = Measure::Time,
                              const std::vector<trace::ItemTimes>* known = nullptr);

// The pass whose last step is the kernel graph; 0 where the trace has none.
int64_t kernelGraphPass(const trace::Reader& reader);

}  // namespace rangescope::viewer
