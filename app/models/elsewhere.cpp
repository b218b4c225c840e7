// The program that reads no models: main has become the other one before anything asks here.

#include <fmt/format.h>

#include "app/command_line.h"
#include "app/models/models.h"

namespace rangescope::app {

namespace {

Error read_elsewhere(const Input& in) {
  return Error{fmt::format("{}: an ONNX model is read by {}", in.path, kModelsProgram)};
}

}  // namespace

bool reads_models() {
  return false;
}

Result<LoadedProgram> loaded_onnx(const Input& in) {
  return tl::unexpected(read_elsewhere(in));
}

int run_onnx(const RunOptions& options) {
  return failed(read_elsewhere(options.in));
}

}  // namespace rangescope::app
