#include "engine/runtime/report.h"

#include <algorithm>

namespace rangescope::runtime {

Statistics summarize(std::vector<uint64_t> samples_ns) {
  Statistics out;
  if (samples_ns.empty()) return out;
  std::sort(samples_ns.begin(), samples_ns.end());
  // Nearest rank: the smallest sample with at least `percent` of all at or below it.
  const auto quantile = [&](size_t percent) {
    const size_t rank = (samples_ns.size() * percent + 99) / 100;
    return samples_ns[std::max<size_t>(rank, 1) - 1];
  };
  out.count = static_cast<uint32_t>(samples_ns.size());
  out.min_ns = samples_ns.front();
  out.median_ns = quantile(50);
  out.p95_ns = quantile(95);
  out.spread_ns = quantile(75) - quantile(25);
  return out;
}

}  // namespace rangescope::runtime
