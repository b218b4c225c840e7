#include "tests/viewer/bench/measured.h"

#include <fmt/format.h>

#include <ctime>

namespace rangescope::viewer {

double quantile(Times t, double q) {
  if (t.empty()) return 0;
  std::ranges::sort(t);
  return t[std::min(t.size() - 1, static_cast<size_t>(q * static_cast<double>(t.size())))];
}

void report(const Measured& m) {
  fmt::print("{:<64}{:>10.2f} {:<2}   bar {:>6.4g}   {}\n", m.what, m.value, m.unit, m.bar,
             m.value <= m.bar ? "" : "OVER");
  std::fflush(stdout);
}

double cpuMs() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

}  // namespace rangescope::viewer
