#pragma once
// From an ONNX model to tensors of the frontend.
//
// Shapes must be known when the graph is built. What decides them (the input of a Reshape, the condition of an If, the
// times of a Loop) is worked out by the interpreter from initialisers, constants and shapes, and, where it depends on
// an input of the model, from the value that is given for that input; such an input is then part of the program.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/frontend/program.h"
#include "engine/onnx/model.h"

namespace rangescope::onnx {

struct ImportOptions {
  std::map<std::string, int64_t> dims;      // sizes of dimensions by their name, or as INPUT:AXIS
  std::map<std::string, HostArray> inputs;  // values, by input; their shapes give sizes that the model leaves open
  std::map<std::string, std::vector<HostArray>> sequences;  // the same of inputs that are sequences
};

struct ModelInput {
  std::string name;
  DType dtype = DType::void_;
  std::vector<int64_t> shape;
  bool decides_shapes = false;  // its value is part of what was built
};

struct ModelOutput {
  std::string name;  // of the model; elements of a sequence: name[0], name[1], ...
  frontend::Tensor tensor;
};

struct Import {
  std::vector<ModelInput> inputs;
  std::vector<ModelOutput> outputs;
};

// Names of operators in the model (with their domain, unless it is ONNX's own) that no builder is known for, and how
// often each occurs.
std::map<std::string, size_t> unsupported_operators(const Model& model);

// An operator that is not supported, a shape that does not fit, a size that is not known is an error which names the
// node. Nodes of the graph carry the ONNX operator as metadata and the node's name as location.
Result<Import> import_model(frontend::Context& context, const Model& model, const ImportOptions& options = {});

}  // namespace rangescope::onnx
