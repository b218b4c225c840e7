#pragma once
// How the time of a run divides among the places of the program: lines of the script, and layers, methods or nodes of
// the model. Meant for a worker: it goes through every pass of the trace.

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/trace/times.h"

namespace rangescope::trace {

struct PlaceTime {
  std::string place;           // empty: the trace does not say
  int64_t ns = 0;              // medians together
  std::vector<int64_t> items;  // of the schedule, the longest first
};

// A kernel's time is the place's whose value it computes: the first that is known on the way down from what it stores.
// What else is fused into it is not counted apart.
struct TimeByPlace {
  std::vector<PlaceTime> lines, names;  // the longest first
  int64_t ns = 0;                       // of all
};

// Of the items that `times` has. Empty where it was asked to stop.
Result<TimeByPlace> time_by_place(Reader& reader, const std::vector<ItemTimes>& times,
                                  const std::stop_token& stop = {});

}  // namespace rangescope::trace
