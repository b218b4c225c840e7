#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rangescope::runtime {

// Of durations in nanoseconds; quantiles are the nearest measured value, so every figure was really seen.
struct Statistics {
  uint32_t count = 0;
  uint64_t min_ns = 0;
  uint64_t median_ns = 0;
  uint64_t p95_ns = 0;
  uint64_t spread_ns = 0;  // between the quartiles: the middle half of the repeats lies within it
};

Statistics summarize(std::vector<uint64_t> samples_ns);

// What it cost to make a kernel ready. The driver's own compiler runs in `pipeline_ns` on most GPUs; on a software
// device it runs in the first dispatch (DispatchReport::first_ns).
struct KernelReport {
  std::string name;
  std::vector<uint32_t> spirv;
  uint64_t glsl_to_spirv_ns = 0;
  uint64_t pipeline_ns = 0;
};

// Device times of one dispatch. `first_ns` is of the pass that gave the values: cold, and on a software device with
// compilation in it. `samples_ns` are the timed repeats in order, `times` their summary.
struct DispatchReport {
  uint64_t first_ns = 0;
  std::vector<uint64_t> samples_ns;
  // When each of them began, on the device, from the run's first timestamp on.
  uint64_t first_start_ns = 0;
  std::vector<uint64_t> starts_ns;
  Statistics times;
};

// One trip through all dispatches as the host saw it.
struct PassTimes {
  uint64_t submit_ns = 0;  // handing the commands over
  uint64_t wait_ns = 0;    // from then until the device was done
};

struct RunReport {
  std::vector<DispatchReport> dispatches;  // one a dispatch, in order; all zero where `timed` is false
  bool timed = false;                      // the device's timestamps were read
  std::string note;                        // why not, in words for the user
  PassTimes first;
  std::vector<PassTimes> warmups;
  std::vector<PassTimes> repeats;
};

}  // namespace rangescope::runtime
