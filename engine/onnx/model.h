#pragma once
// An ONNX model as plain data: what a .onnx file says, checked for form but not yet for meaning.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/frontend/host_array.h"
#include "engine/ir/error.h"

namespace rangescope::onnx {

using frontend::HostArray;

// Values in a file. `problem`: why they cannot be used (strings, a dtype that is not known); then there is no array.
struct TensorData {
  std::string name;
  HostArray array;
  std::string problem;
};

struct Graph;

struct Attribute {
  enum class Kind : uint8_t { Float, Int, String, Tensor, Graph, Floats, Ints, Strings, Reference, Other };
  std::string name;
  Kind kind = Kind::Other;
  std::vector<double> floats;        // one of Float
  std::vector<int64_t> ints;         // one of Int
  std::vector<std::string> strings;  // one of String
  std::shared_ptr<const TensorData> tensor;
  std::shared_ptr<const Graph> graph;
  std::string reference;  // the attribute of the enclosing function that it stands for
};

struct Node {
  std::string name, op, domain;
  std::vector<std::string> inputs, outputs;  // an empty name: left out
  std::vector<Attribute> attributes;
};

struct Dimension {
  std::optional<int64_t> size;
  std::string name;  // of a size that is not in the file; may be empty
};

struct ValueInfo {
  std::string name;
  std::string kind;  // tensor, sequence, ...
  std::string dtype_name;
  std::optional<DType> dtype;  // none: one that is not supported
  std::optional<std::vector<Dimension>> dims;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<TensorData> initializers;
  std::vector<ValueInfo> inputs, outputs;
};

struct Function {
  std::string name, domain;
  std::vector<std::string> inputs, outputs;
  std::vector<Node> nodes;
  std::map<std::string, int64_t> opsets;
};

struct Model {
  std::string path;
  std::map<std::string, int64_t> opsets;  // by domain; "" is ONNX's own
  Graph graph;
  std::vector<Function> functions;
};

// The model in a file, with what lies beside it (external data).
Result<Model> read_model(const std::string& path);
// The same from bytes; `folder` is where external data lies, empty: nowhere.
Result<Model> parse_model(const std::string& bytes, const std::string& folder, const std::string& name);

// A value as the backend tests keep it: TensorProto, or SequenceProto or OptionalProto where the model says so.
struct StoredValue {
  bool present = true;
  bool is_sequence = false;
  std::vector<TensorData> tensors;  // one, unless a sequence
};
Result<StoredValue> read_value(const std::string& path, const std::string& kind);

// "" and "ai.onnx" are the same domain.
std::string plain_domain(const std::string& domain);

}  // namespace rangescope::onnx
