#include "engine/runtime/hazards.h"

#include <algorithm>

namespace rangescope::runtime {

bool HazardTracker::add(std::span<const BufferUse> uses) {
  const bool hazard = std::any_of(uses.begin(), uses.end(), [&](const BufferUse& use) {
    const State& state = states_[use.buffer];
    return state.written == epoch_ || (use.access != Access::read && state.read == epoch_);
  });
  if (hazard) barrier();
  for (const BufferUse& use : uses) {
    if (use.access != Access::write) states_[use.buffer].read = epoch_;
    if (use.access != Access::read) states_[use.buffer].written = epoch_;
  }
  return hazard;
}

}  // namespace rangescope::runtime
