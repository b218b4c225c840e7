#pragma once

#include <span>
#include <string_view>

namespace rangescope::viewer {

struct Example {
  std::string_view name;  // softmax.py
  std::string_view text;
};

// The scripts of resources/examples (examples.cpp is made by CMake).
std::span<const Example> examples();

}  // namespace rangescope::viewer
