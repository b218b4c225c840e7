#pragma once
// ONNX models as programs. Only the program rangescope-models reads them, which rangescope becomes where its command
// line names one: what reads models takes as much memory at the start as all the rest.

#include <string>

#include "app/commands.h"
#include "app/programs.h"

namespace rangescope::app {

inline bool is_onnx(const std::string& path) {
  return path.ends_with(".onnx") || path.ends_with(".ONNX");
}

// Whether this is the program that reads models; the other refuses what follows.
bool reads_models();

// The model for a command that takes any program. Inputs that are not given are filled with numbers from 0 to 1, those
// of integers with 0, bools with false.
Result<LoadedProgram> loaded_onnx(const Input& in);
// `run` of a model: its outputs, and the times of its kernels.
int run_onnx(const RunOptions& options);

}  // namespace rangescope::app
