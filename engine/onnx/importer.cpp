#include "engine/onnx/importer.h"

#include <fmt/format.h>

#include <algorithm>

namespace rangescope::onnx {

namespace {

constexpr int kDeepestCall = 24;  // functions and graphs within each other
constexpr int64_t kEvaluationWork = 1'000'000'000;

// Opens the metadata of a node: what is built meanwhile is named by it.
std::string label_of(const Node& node) {
  if (!node.name.empty()) return node.name;
  for (const std::string& o : node.outputs)
    if (!o.empty()) return o;
  return node.op;
}

std::vector<Attribute> with_references(const Node& node, const Node& call) {
  std::vector<Attribute> out;
  for (const Attribute& a : node.attributes) {
    if (a.kind != Attribute::Kind::Reference) {
      out.push_back(a);
      continue;
    }
    const auto it = std::ranges::find(call.attributes, a.reference, &Attribute::name);
    if (it == call.attributes.end()) continue;
    out.push_back(*it);
    out.back().name = a.name;
  }
  return out;
}

}  // namespace

Value Names::find(const std::string& name) const {
  for (const Names* n = this; n != nullptr; n = n->outer)
    if (const auto it = n->values.find(name); it != n->values.end()) return it->second;
  throw GraphError(fmt::format("the value \"{}\" is used before it is made", name));
}

Importer::Importer(frontend::Context& context, const Model& model, const ImportOptions& options)
    : context_(context), model_(model), options_(options) {
  for (const Function& f : model.functions) functions_[f.domain + ':' + f.name] = &f;
}

Tensor Importer::tensor(const Value& value) {
  if (!value->problem.empty()) throw GraphError(value->problem);
  if (value->tensor) return *value->tensor;
  if (value->sequence) throw GraphError("a sequence stands where a tensor is needed");
  if (!value->known) throw GraphError("an optional value that is empty stands where a tensor is needed");
  const HostArray& a = *value->known;
  Shape shape;
  for (const int64_t d : a.shape) shape.emplace_back(d);
  if (a.count() > 1) {
    value->tensor = context_.from_device_data(a);
  } else {
    const frontend::Create as{.dtype = a.dtype, .buffer = false};
    const Scalar number = a.count() == 0      ? Scalar(0)
                          : is_float(a.dtype) ? Scalar(a.to_doubles()[0])
                          : is_bool(a.dtype)  ? Scalar(a.to_ints()[0] != 0)
                                              : Scalar(a.to_ints()[0]);
    value->tensor = context_.full(shape, number, as);
  }
  return *value->tensor;
}

const HostArray& Importer::numbers(const Value& value, const std::string& what) {
  if (!value->known) {
    const Tensor t = tensor(value);
    if (t.numel() == 0) {
      value->known = HostArray::from_bytes(t.dtype(), t.sizes(), {});
      return *value->known;
    }
    auto program = frontend::make_program(context_, {{"value", t}});
    if (!program) throw GraphError(program.error().message);
    std::map<std::string, HostArray> given;
    for (const frontend::Argument& a : program->arguments) {
      if (a.name.empty()) continue;
      const auto it = options_.inputs.find(a.name);
      if (it == options_.inputs.end())
        throw GraphError(fmt::format(
            "{}, and depends on the model's input \"{}\": give its value (--input {}=FILE.npy)", what, a.name, a.name));
      given.insert(*it);
      deciding_inputs_.insert(a.name);
    }
    frontend::Evaluator evaluator(kEvaluationWork);
    auto values = frontend::run(*program, given, evaluator);
    if (!values) throw GraphError(fmt::format("{}, and: {}", what, values.error().message));
    value->known = std::move(values->at(0));
  }
  return *value->known;
}

Values Importer::run_node(const Node& node, const Names& names, const std::map<std::string, int64_t>& opsets) {
  Values inputs;
  for (const std::string& name : node.inputs) inputs.push_back(name.empty() ? nullptr : names.find(name));
  const Operator* op = find_operator(node.domain, node.op);
  if (op == nullptr) {
    const auto f = functions_.find(node.domain + ':' + node.op);
    if (f == functions_.end()) throw GraphError("the operator is not supported");
    return run_function(*f->second, node, inputs);
  }
  const auto opset = opsets.find(node.domain);
  const std::string around = context_.location;
  context_.location = around.empty() ? label_of(node) : around + '/' + label_of(node);
  struct Restore {
    frontend::Context& context;
    std::string to;
    ~Restore() { context.location = to; }
  } const restore{context_, around};
  const frontend::Scope scope(context_, op->name);
  Call call(*this, node, std::move(inputs), opset == opsets.end() ? 1 : opset->second, names);
  return op->build(call);
}

Values Importer::run_function(const Function& function, const Node& node, const Values& inputs) {
  Names names;
  for (size_t i = 0; i < function.inputs.size(); ++i)
    names.values[function.inputs[i]] = i < inputs.size() ? inputs[i] : nullptr;
  std::vector<Node> nodes = function.nodes;
  for (Node& n : nodes) n.attributes = with_references(n, node);
  run_nodes(nodes, names, function.opsets.empty() ? model_.opsets : function.opsets);
  Values out;
  for (const std::string& name : function.outputs) out.push_back(names.find(name));
  return out;
}

void Importer::run_nodes(const std::vector<Node>& nodes, Names& names, const std::map<std::string, int64_t>& opsets) {
  if (++depth_ > kDeepestCall) throw GraphError("graphs and functions lie too deep within each other");
  for (const Node& node : nodes)
    if (node.op == "Round" || node.op == "Floor" || node.op == "Ceil")
      names.rounded.insert(node.inputs.begin(), node.inputs.end());
  for (const Node& node : nodes) {
    Values made;
    try {
      made = run_node(node, names, opsets);
    } catch (const GraphError& e) {
      throw GraphError(fmt::format("{} \"{}\": {}", full_name(node.domain, node.op), label_of(node), e.message()));
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      if (i >= made.size() || !made[i])
        throw GraphError(fmt::format("{} \"{}\": its output {} is not supported", full_name(node.domain, node.op),
                                     label_of(node), i));
      names.values[node.outputs[i]] = made[i];
    }
  }
  --depth_;
}

void Importer::add_initializers(const Graph& graph, Names& names) {
  for (const TensorData& t : graph.initializers) {
    Value v = t.problem.empty() ? as_value(t.array) : std::make_shared<ValueState>();
    v->problem = t.problem;
    names.values[t.name] = std::move(v);
  }
}

Values Importer::run_graph(const Graph& graph, const Values& inputs, const Names* outer) {
  Names names;
  names.outer = outer;
  add_initializers(graph, names);
  if (inputs.size() > graph.inputs.size())
    throw GraphError(fmt::format("the graph within takes {} inputs, not {}", graph.inputs.size(), inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) names.values[graph.inputs[i].name] = inputs[i];
  run_nodes(graph.nodes, names, model_.opsets);
  Values out;
  for (const ValueInfo& o : graph.outputs) out.push_back(names.find(o.name));
  return out;
}

Value Importer::input_value(const ValueInfo& info, ModelInput& input) {
  auto v = std::make_shared<ValueState>();
  if (const auto s = options_.sequences.find(info.name); s != options_.sequences.end()) {
    v->sequence.emplace();
    for (const HostArray& a : s->second) v->sequence->push_back(as_value(a));
    input.decides_shapes = true;
    return v;
  }
  if (info.kind.starts_with("optional")) {
    // The value that is given; none: empty.
    if (const auto a = options_.inputs.find(info.name); a != options_.inputs.end()) v->known = a->second;
    input.decides_shapes = true;
    return v;
  }
  if (info.kind != "tensor") {
    v->problem = fmt::format("the input \"{}\" is a {}, which is not supported here", info.name, info.kind);
    return v;
  }
  if (!info.dtype) {
    v->problem = fmt::format("the input \"{}\" has the dtype {}, which is not supported", info.name, info.dtype_name);
    return v;
  }
  const auto given = options_.inputs.find(info.name);
  const bool has = given != options_.inputs.end();
  if (!info.dims && !has)
    throw GraphError(
        fmt::format("the shape of the input \"{}\" is not in the model: give its value (--input {}=FILE.npy)",
                    info.name, info.name));
  input.dtype = *info.dtype;
  if (has && given->second.dtype != input.dtype)
    throw GraphError(fmt::format("the input \"{}\" is {}, and {} is given", info.name, dtype_name(input.dtype),
                                 dtype_name(given->second.dtype)));
  if (has && info.dims && given->second.shape.size() != info.dims->size())
    throw GraphError(fmt::format("the input \"{}\" has {} axes, and {} are given", info.name, info.dims->size(),
                                 given->second.shape.size()));
  input.shape = has ? given->second.shape : std::vector<int64_t>(info.dims->size());
  for (size_t i = 0; info.dims && i < info.dims->size(); ++i) {
    const Dimension& d = (*info.dims)[i];
    std::optional<int64_t> size = d.size;
    if (!size)
      for (const std::string& name : {d.name, fmt::format("{}:{}", info.name, i)})
        if (const auto it = options_.dims.find(name); it != options_.dims.end() && !name.empty()) size = it->second;
    if (has && size && *size != input.shape[i])
      throw GraphError(
          fmt::format("axis {} of the input \"{}\" is {} long, and {} are given", i, info.name, *size, input.shape[i]));
    if (!has && !size)
      throw GraphError(fmt::format("the size of axis {} of the input \"{}\" is open: give it with --dim {}=N", i,
                                   info.name, d.name.empty() ? fmt::format("{}:{}", info.name, i) : d.name));
    if (!has) input.shape[i] = *size;
    if (input.shape[i] < 0)
      throw GraphError(fmt::format("axis {} of the input \"{}\" is {} long", i, info.name, input.shape[i]));
  }
  int64_t count = 1;
  for (const int64_t d : input.shape) count = d == 0 || count > (int64_t{1} << 31) / d ? (d == 0 ? 0 : -1) : count * d;
  if (count < 0) throw GraphError(fmt::format("the input \"{}\" is too large", info.name));
  if (count == 0) {
    v->known = HostArray::from_bytes(input.dtype, input.shape, {});
    return v;
  }
  Shape shape;
  for (const int64_t d : input.shape) shape.emplace_back(d);
  v->tensor = context_.input(info.name, shape, input.dtype);
  return v;
}

Import Importer::run() {
  Import out;
  Names names;
  add_initializers(model_.graph, names);
  for (const ValueInfo& info : model_.graph.inputs) {
    // Before version 4 of the format every initialiser is listed as an input as well.
    if (names.values.contains(info.name) && !options_.inputs.contains(info.name)) continue;
    ModelInput input{info.name, DType::void_, {}, false};
    names.values[info.name] = input_value(info, input);
    out.inputs.push_back(std::move(input));
  }
  run_nodes(model_.graph.nodes, names, model_.opsets);
  for (const ValueInfo& info : model_.graph.outputs) {
    const Value v = names.find(info.name);
    if (!v) throw GraphError(fmt::format("the output \"{}\" is not made", info.name));
    if (v->sequence) {
      for (size_t i = 0; i < v->sequence->size(); ++i)
        out.outputs.push_back({fmt::format("{}[{}]", info.name, i), tensor((*v->sequence)[i])});
    } else {
      out.outputs.push_back({info.name, tensor(v)});
    }
  }
  for (ModelInput& i : out.inputs) i.decides_shapes = i.decides_shapes || deciding_inputs_.contains(i.name);
  return out;
}

}  // namespace rangescope::onnx
