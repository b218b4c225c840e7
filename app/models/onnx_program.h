#pragma once
// An ONNX model as a program, with its inputs by name.

#include <map>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/programs.h"
#include "engine/frontend/program.h"
#include "engine/onnx/import.h"

namespace rangescope::app {

struct OnnxProgram {
  onnx::Import import;
  frontend::Program program;
  std::map<std::string, frontend::HostArray> inputs;  // all of them
  std::vector<std::string> filled;                    // those that were not given
};

// Of the scheduler. A model joins more tensors in one place than every device can bind to a kernel.
std::vector<std::pair<std::string, int64_t>> settings_of_models();

// The model and its inputs (models.h).
Result<OnnxProgram> load_onnx(const Input& in);

}  // namespace rangescope::app
