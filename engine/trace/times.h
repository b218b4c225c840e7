#pragma once
// What the repeats of a run come to.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/trace/reader.h"

namespace rangescope::trace {

// Of durations in nanoseconds. Quantiles are the nearest measured value; the spread is between the quartiles.
struct TimeStatistics {
  int64_t n = 0;
  int64_t min = 0, median = 0, p95 = 0, max = 0, spread = 0;
};
TimeStatistics statistics(std::vector<int64_t> ns);

// One schedule item in one run, warm-ups apart. A precompiled call takes as long as its launches together.
struct ItemTimes {
  int64_t item = 0;
  TimeStatistics times;
  int64_t first_warm_up = 0;          // with what the driver still had to do; 0: there was none
  std::optional<int64_t> ops, bytes;  // of its launches together; none: not known
};

// Rates in operations and bytes a nanosecond, which is GFLOP/s and GB/s; none where the amount is not known or the time
// is nothing.
std::optional<double> rate(const std::optional<int64_t>& amount, int64_t ns);

// By item, ascending.
Result<std::vector<ItemTimes>> item_times(Reader& reader, int64_t run);
// Of the last run; empty where nothing was run.
Result<std::vector<ItemTimes>> last_item_times(Reader& reader);

// Every launch of a run with its statistics, what it does and how fast, as comma-separated values with a header.
Result<std::string> times_csv(Reader& reader);
// Every timed dispatch of all runs as a trace for Perfetto or chrome://tracing (JSON trace events): one track a run.
Result<std::string> times_perfetto(Reader& reader);

}  // namespace rangescope::trace
