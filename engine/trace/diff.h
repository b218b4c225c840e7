#pragma once
// Where two traces part: two versions of a compiler on one program, or tinygrad and this engine. Passes are compared by
// name and place, rules by the place in the reference that they port, graphs by structure: the numbers of a trace mean
// nothing in another.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/trace/reader.h"

namespace rangescope::trace {

// One side of a difference; 0 and empty where it has nothing there.
struct DiffSide {
  int64_t pass = 0;
  std::string name;   // of the pass
  int64_t match = 0;  // id of the match
  int64_t node = 0;   // the node that differs
  std::string text;   // what stands there
};

struct Difference {
  std::string what;   // "pass", "flags", "input", "rule", "before", "after", "output", "count"
  int64_t index = 0;  // of the match in its pass, from 0, where `what` is about one
  DiffSide a, b;
};

// What was compared: the rewrites of one schedule, or those of one kernel.
struct DiffPart {
  std::string name;
  int64_t passes = 0, matches = 0;       // that are equal, up to the difference
  std::optional<Difference> difference;  // the first; none: the same to the end
};

struct DiffOptions {
  // Told how far it is, from 0 to 1, now and then. False: stop, which is an error of its own.
  std::function<bool(double)> progress = {};
  bool ignore_numbers = false;  // slots of buffers that no one named are counted through a process
};

struct TraceDiff {
  std::vector<DiffPart> parts;
  std::vector<std::string> only_a, only_b;  // kernels whose code generation one side alone holds
  bool same() const;
};

// "pass 'reshape', match 3: the rule differs"
std::string describe(const Difference& x);
// The step of a side's pass where its half of the difference is seen: after the match that differs, where it has one.
// INT64_MAX: the end of the pass.
int64_t step_of(const Difference& x, const DiffSide& side);

Result<TraceDiff> diff(Reader& a, Reader& b, const DiffOptions& options = {});

}  // namespace rangescope::trace
