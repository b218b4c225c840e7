#pragma once
// Layouts measured: first ones, steps, and how good they are beside Graphviz's dot.

#include <string>
#include <vector>

namespace rangescope::viewer {

// Something measured: the bar it is held against, and in what.
struct Measured {
  std::string what;
  double value = 0;
  double bar = 0;
  const char* unit = "ms";
};

// Milliseconds of processor time of this thread.
double cpuMs();

std::vector<Measured> measureLayouts();

}  // namespace rangescope::viewer
