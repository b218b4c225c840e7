#pragma once
// Builders of operators: the table from a name to the function that builds its tensors, and what such a function sees.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/frontend/tensor.h"
#include "engine/onnx/model.h"

namespace rangescope::onnx {

using frontend::Axes;
using frontend::Ints;
using frontend::Operand;
using frontend::Tensor;

class Importer;
struct Names;

// A value of the graph: a tensor, or a sequence of values, or an optional that is empty. One that the host knows has
// its numbers, and gets a tensor when one is asked for.
struct ValueState;
using Value = std::shared_ptr<ValueState>;  // null: left out
using Values = std::vector<Value>;
struct ValueState {
  std::optional<Tensor> tensor;
  std::optional<HostArray> known;
  std::optional<Values> sequence;
  std::string problem;  // why it cannot be used
};
Value as_value(Tensor tensor);
Value as_value(HostArray known);
Value as_value(const Ints& ints);  // int64, one axis
Value as_scalar(int64_t number);   // int64, no axis
Value as_sequence(Values values);

// One use of an operator.
class Call {
 public:
  Call(Importer& importer, const Node& node, Values inputs, int64_t opset, const Names& names)
      : importer_(importer), node_(node), inputs_(std::move(inputs)), opset_(opset), names_(names) {}

  Importer& importer() const { return importer_; }
  const Names& names() const { return names_; }
  int64_t opset() const { return opset_; }
  frontend::Context& context() const;
  size_t outputs() const { return node_.outputs.size(); }
  bool wants(size_t output) const { return output < outputs() && !node_.outputs[output].empty(); }
  // Whether another node rounds the first result to an integer.
  bool is_rounded() const;

  // ** inputs
  size_t count() const { return inputs_.size(); }
  bool has(size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  const Value& value(size_t i) const;  // refuses one that is left out
  Tensor x(size_t i = 0) const;
  std::optional<Tensor> maybe(size_t i) const;
  const Values& sequence(size_t i) const;
  // What must be known when the graph is built.
  const HostArray& numbers(size_t i) const;
  Ints ints(size_t i) const { return numbers(i).to_ints(); }
  std::vector<double> doubles(size_t i) const { return numbers(i).to_doubles(); }
  int64_t integer(size_t i) const;
  // The ints of input i, or of the attribute where there is no such input.
  std::optional<Ints> ints_or_attribute(size_t i, const char* name) const;

  // ** attributes
  const Attribute* attribute(const char* name) const;
  bool has_attribute(const char* name) const { return attribute(name) != nullptr; }
  int64_t integer(const char* name, int64_t otherwise) const;
  double number(const char* name, double otherwise) const;
  std::string text(const char* name, const std::string& otherwise) const;
  std::optional<Ints> list(const char* name) const;
  std::optional<std::vector<double>> floats(const char* name) const;
  std::optional<std::vector<std::string>> texts(const char* name) const;
  const Graph& graph(const char* name) const;

  // ** for builders
  Tensor constant(const HostArray& array) const;
  Tensor number_like(const Tensor& x, double value) const;  // of its dtype, without axes
  int64_t axis(const char* name, int64_t otherwise, size_t ndim) const;
  static int64_t wrapped(int64_t axis, size_t ndim);  // refuses one that is not there
  [[noreturn]] static void refuse(const std::string& why);

 private:
  Importer& importer_;
  const Node& node_;
  Values inputs_;
  int64_t opset_;
  const Names& names_;
};

using Builder = Values (*)(Call& call);
struct Operator {
  const char* name;
  Builder build;
  const char* domain = "";
};

// The families, one file each.
std::span<const Operator> constant_operators();
std::span<const Operator> control_operators();
std::span<const Operator> convolution_operators();
std::span<const Operator> elementwise_operators();
std::span<const Operator> index_operators();
std::span<const Operator> loss_operators();
std::span<const Operator> matmul_operators();
std::span<const Operator> movement_operators();
std::span<const Operator> normalisation_operators();
std::span<const Operator> pooling_operators();
std::span<const Operator> quantize_operators();
std::span<const Operator> recurrent_operators();
std::span<const Operator> reduce_operators();
std::span<const Operator> resize_operators();
std::span<const Operator> signal_operators();
std::span<const Operator> training_operators();

// Null: there is none.
const Operator* find_operator(const std::string& domain, const std::string& name);
// "Conv", or "ai.onnx.ml.Scaler".
std::string full_name(const std::string& domain, const std::string& name);

// ** shared by the families

// A size, pad, stride or count that a file gives: refuses what is beyond all tensors, so that sums of a few do not
// overflow.
int64_t sane(int64_t number);
// Sizes as a shape; refuses negative ones, and more elements than any device holds.
Shape shape_of(const Ints& sizes);
// The dtype that a number of TensorProto.DataType names; refuses one that is not supported.
DType dtype_of_number(int64_t number);
// a / b rounded once. The frontend multiplies by the reciprocal, which is off by one bit now and then.
Tensor exact_quotient(const Tensor& a, const Tensor& b);
// Along one axis: element i of the result is element index[i] of x.
Tensor take(const Tensor& x, int64_t axis, const Ints& index);
// Beside each other along a new axis; of one too.
Tensor stacked(const std::vector<Tensor>& all, int64_t axis);
// One number a channel, beside the axes of x.
Tensor by_channel(const Tensor& t, const Tensor& x);
// Begin and end of each spatial axis, from pads or auto_pad.
struct Spatial {
  Ints kernel, strides, dilations, begin, end;
  Ints flat_pads() const;  // as the frontend takes them: the last axis first
};
Spatial spatial_of(const Call& call, const Tensor& x, const Ints& kernel);
Ints spatial_sizes(const Tensor& x);  // behind batch and channels
Tensor convolved(const Call& call, const Tensor& x, const Tensor& w, const std::optional<Tensor>& bias,
                 std::optional<DType> dtype = std::nullopt);

}  // namespace rangescope::onnx
