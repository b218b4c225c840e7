#pragma once
// Walks a graph node by node and keeps its values by name.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/onnx/import.h"
#include "engine/onnx/operators.h"

namespace rangescope::onnx {

// Names of a graph; what is not found is looked for in the graph around it.
struct Names {
  std::map<std::string, Value> values;
  const Names* outer = nullptr;
  std::set<std::string> rounded;  // values that some node rounds to integers
  Value find(const std::string& name) const;
};

class Importer {
 public:
  Importer(frontend::Context& context, const Model& model, const ImportOptions& options);

  Import run();

  frontend::Context& context() { return context_; }
  // The graph's outputs for these inputs.
  Values run_graph(const Graph& graph, const Values& inputs, const Names* outer);
  // The tensor of a value, made when it is first asked for.
  frontend::Tensor tensor(const Value& value);
  // Its numbers; worked out if need be. `what` says for a message what they are needed for.
  const HostArray& numbers(const Value& value, const std::string& what);

 private:
  Values run_node(const Node& node, const Names& names, const std::map<std::string, int64_t>& opsets);
  Values run_function(const Function& function, const Node& node, const Values& inputs);
  void run_nodes(const std::vector<Node>& nodes, Names& names, const std::map<std::string, int64_t>& opsets);
  void add_initializers(const Graph& graph, Names& names);
  Value input_value(const ValueInfo& info, ModelInput& input);

  frontend::Context& context_;
  const Model& model_;
  const ImportOptions& options_;
  std::map<std::string, const Function*> functions_;
  std::set<std::string> deciding_inputs_;
  int depth_ = 0;
};

}  // namespace rangescope::onnx
