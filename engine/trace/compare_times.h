#pragma once
// Which is faster, beyond the noise of measuring.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/trace/times.h"

namespace rangescope::trace {

enum class TimeChange : uint8_t { Noise, Faster, Slower };

// `b` against `a`. Beyond the noise: the medians lie further apart than half of both spreads together, so that the
// middle halves of the repeats do not meet, and by more than a clock's tick; less than four repeats say nothing.
TimeChange change_of(const TimeStatistics& a, const TimeStatistics& b);
// "1.25 times as fast", "1.25 times as slow", "within the noise".
std::string describe_change(const TimeStatistics& a, const TimeStatistics& b);

// A kernel of two traces, paired with the one of the same name that comes as late among those of that name.
struct KernelChange {
  std::string name;
  int64_t item_a = 0, item_b = 0;  // of the schedules; 0: it is in the other trace alone
  TimeStatistics a, b;             // n 0: not timed
  TimeChange change = TimeChange::Noise;
};

struct TimesComparison {
  std::vector<KernelChange> kernels;  // as A schedules them, then those of B alone
  // Of all that each trace times: the sum of medians, its spread as that of independent times.
  TimeStatistics all_a, all_b;
};

// Of the last run of each. An error where one has none.
Result<TimesComparison> compare_times(Reader& a, Reader& b);

}  // namespace rangescope::trace
