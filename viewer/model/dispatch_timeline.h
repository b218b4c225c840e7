#pragma once
// Dispatches in time, in rows without overlaps, made so that a picture costs what it has pixels, not dispatches: a
// million of them are asked for by interval, in logarithmic time.

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/trace/reader.h"

namespace rangescope::viewer {

struct Dispatch {
  int64_t start = 0, ns = 0;  // from the run's first timestamp
  int32_t item = 0;           // of the schedule
  int32_t part = 0, repeat = 0;
  bool warmUp = false;
  int64_t end() const { return start + ns; }
};

// By start; none begins before the one before it ended.
class DispatchLane {
 public:
  explicit DispatchLane(std::vector<Dispatch> dispatches);
  const std::vector<Dispatch>& dispatches() const { return dispatches_; }
  size_t firstFrom(double time) const;    // that starts at or after it
  size_t firstEnding(double time) const;  // that ends after it
  int64_t busy(size_t first, size_t last) const { return busyBefore_[last] - busyBefore_[first]; }
  size_t longest(size_t first, size_t last) const;  // of a range that is not empty

 private:
  static constexpr size_t kFan = 16;
  std::vector<Dispatch> dispatches_;
  std::vector<int64_t> busyBefore_;
  std::vector<std::vector<uint32_t>> longest_;  // by level: the longest of kFan of the level below
};

struct DispatchRun {
  std::string title;           // "run 1, llvmpipe"
  size_t first = 0, last = 0;  // of the lanes
};

struct DispatchTimeline {
  std::vector<DispatchLane> lanes;
  std::vector<DispatchRun> runs;
  int64_t begin = 0, end = 0;
  size_t count = 0;
  bool placed = true;  // false: an old trace does not say when; they stand one after the other

  // Puts what overlaps on separate lanes.
  void add(const std::string& title, std::vector<Dispatch> dispatches);
};

Result<DispatchTimeline> dispatchTimeline(trace::Reader& reader, const std::stop_token& stop = {});

// "1.24 ms", "830 ns"
std::string durationText(double ns);

}  // namespace rangescope::viewer
