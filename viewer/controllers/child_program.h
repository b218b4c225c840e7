#pragma once
// The program that schedules and runs for the window, in processes of its own.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rangescope::viewer {

// A setting of the scheduler.
struct Setting {
  std::string name, meaning;
  int64_t usual = 0;
};

struct ChildProgram {
  std::string path;
  std::function<std::vector<Setting>()> settings;  // that can be changed for it
};

}  // namespace rangescope::viewer
