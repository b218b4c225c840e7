#pragma once
// Numbers of the host for a program's parameters, and what a run wrote as files.

#include <cstdint>
#include <string>
#include <vector>

#include "app/programs.h"
#include "app/session/execution.h"

namespace rangescope::app {

// What --values says, all of it.
struct Values {
  int64_t seed = 0;  // StartValues::seed
  std::vector<std::string> folders, files;
};
Result<Values> values_of(const std::vector<std::string>& said);

// Gives the program's parameters these numbers: seeds, p0.npy of folders, and files of such a name. A parameter is
// given as its own dtype; one that numpy does not know (bfloat16, fp8) as float32.
Result<void> take_values(const std::vector<std::string>& said, LoadedProgram& p);

// Every parameter that the program writes, as FOLDER/p0.npy.
Result<void> save_outputs(const Execution& e, const std::string& folder);

}  // namespace rangescope::app
