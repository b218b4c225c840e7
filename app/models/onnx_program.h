#pragma once
// An ONNX model as a program: what `record`, `run` and the other commands take when IN is a .onnx file.

#include <map>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/programs.h"
#include "engine/frontend/program.h"
#include "engine/onnx/import.h"

namespace rangescope::app {

bool is_onnx(const std::string& path);

struct OnnxProgram {
  onnx::Import import;
  frontend::Program program;
  std::map<std::string, frontend::HostArray> inputs;  // all of them
  std::vector<std::string> filled;                    // those that were not given
};

// Of the scheduler. A model joins more tensors in one place than every device can bind to a kernel.
std::vector<std::pair<std::string, int64_t>> settings_of_models();

// Inputs that are not given are filled with numbers from 0 to 1, those of integers with 0, bools with false.
Result<OnnxProgram> load_onnx(const Input& in);
// The same for a command that takes any program.
Result<LoadedProgram> loaded_onnx(const Input& in);

}  // namespace rangescope::app
