#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace rangescope::symbolic::testing {

// The files of cases that a test goes through: those that `variable` names, separated by colons, or else the
// repository's own.
inline std::vector<std::string> case_files(const char* variable, const char* own) {
  const char* others = std::getenv(variable);
  std::vector<std::string> list;
  std::istringstream in(others != nullptr ? others : own);
  for (std::string f; std::getline(in, f, ':');) list.push_back(f);
  return list;
}

}  // namespace rangescope::symbolic::testing
